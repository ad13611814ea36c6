"""`fairtrial ab`: ab's arguments and figures, and what those leave out."""

from typing import Annotated

import typer

SETTINGS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""Everything but --help belongs to the other tool."""


def ab(
    arguments: Annotated[list[str], typer.Argument(metavar="[AB'S ARGUMENTS] URL", help="As ab takes them.")],
) -> None:
    """Do what ab (ApacheBench) would do, and say what its figures hide.

    Takes ab's own arguments: -n, -c, -t, -k, -s, -p, -u, -T, -H, -C, -A, -m, -i, -E, -d, -S, -l; -q and -r change
    nothing here. Others are refused, with the reason. As with ab, a connection serves one request unless there is a
    -k, and certificates are not checked. Unlike ab, it speaks HTTP/1.1, and -t alone is not limited to 50,000 requests.

    As with ab, an answer has failed whose length is not the first one's, unless there is a -l. That first one is asked
    before the others, and is in no figure; with a method that may change something (-p, -u) lengths are not judged.

    **Examples**

    `fairtrial ab -n 1000 -c 20 http://127.0.0.1:8080/`

    `fairtrial ab -k -t 10 -c 50 http://127.0.0.1:8080/items`

    `fairtrial ab -n 500 -p order.json -T application/json http://127.0.0.1:8080/orders`
    """
    from fairtrial.tools.load.foreign.ab import read_ab
    from fairtrial.tools.load.foreign.ab_figures import ab_figures
    from fairtrial.tools.load.foreign.tool import run_as

    call = read_ab(arguments)
    status = run_as(
        "ab",
        call.options,
        lambda measurement: ab_figures(call, measurement),
        at_most_seconds=call.at_most_seconds,
        lengths_as_the_first=not call.any_length,
    )
    raise typer.Exit(status)
