"""`fairtrial wrk`: wrk's arguments and figures, and what those leave out."""

from typing import Annotated

import typer

SETTINGS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""All flags but --help are those of wrk."""


def wrk(
    arguments: Annotated[list[str], typer.Argument(metavar="[WRK'S ARGUMENTS] URL", help="As wrk takes them.")],
) -> None:
    """Do what wrk would do, and show what its figures hide.

    Takes wrk's own arguments: -c, -d, -t, -H, --latency, --timeout. Lua scripts are refused, with what to use instead.
    As with wrk, connections are kept open, the load is closed, and certificates are not checked.

    **Examples**

    `fairtrial wrk -d10m -t2 -c2 http://127.0.0.1:8080/`

    `fairtrial wrk -t4 -c100 -d30s --latency -H 'Accept: application/json' http://127.0.0.1:8080/items`
    """
    from fairtrial.tools.load.compatibility.emulate import emulate
    from fairtrial.tools.load.compatibility.wrk import read_wrk

    raise typer.Exit(emulate(read_wrk(arguments)))
