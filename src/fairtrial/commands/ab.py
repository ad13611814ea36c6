"""`fairtrial ab`: ab's arguments and figures, and what those leave out."""

from typing import Annotated

import typer

SETTINGS = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
"""All flags but --help are those of ab."""


def ab(
    arguments: Annotated[list[str], typer.Argument(metavar="[AB'S ARGUMENTS] URL", help="As ab takes them.")],
) -> None:
    """Do what ab (ApacheBench) would do, and show what its figures hide.

    Takes ab's own arguments: -n, -c, -t, -k, -s, -p, -u, -T, -H, -C, -A, -m, -i, -E, -d, -S, -l; -q and -r change
    nothing here. Others are refused, with the reason. As with ab, a connection serves one request unless -k is given,
    and certificates are not checked. Unlike ab, it speaks HTTP/1.1, and -t alone is not limited to 50,000 requests.

    As with ab, an answer whose length is not that of the first has failed, unless -l is given. The first is requested
    before the others and is in no figure. Lengths are not judged with a method that may change something (-p, -u).

    **Examples**

    `fairtrial ab -n 1000 -c 20 http://127.0.0.1:8080/`

    `fairtrial ab -k -t 10 -c 50 http://127.0.0.1:8080/items`

    `fairtrial ab -n 500 -p order.json -T application/json http://127.0.0.1:8080/orders`
    """
    from fairtrial.tools.load.compatibility.ab import read_ab
    from fairtrial.tools.load.compatibility.emulate import emulate

    raise typer.Exit(emulate(read_ab(arguments)))
