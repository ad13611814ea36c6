"""`fairtrial import`: requests that others wrote down, as a workload file."""

from pathlib import Path
from typing import Annotated

import typer


def import_requests(
    source: Annotated[
        str,
        typer.Argument(
            help="A file (also gzip), a folder of Bruno, a command line in quotes that begins with curl, - for "
            "standard input, or grpc://HOST:PORT.",
            metavar="SOURCE",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="The workload file to write, such as shop.workload.toml; rows are written beside it. [default: "
            "standard output]",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="KIND",
            help="What the source is: `access-log`, `bruno`, `curl`, `har`, `http`, `insomnia`, `openapi` or "
            "`postman`. [default: told from its content]",
        ),
    ] = None,
    host: Annotated[
        list[str] | None,
        typer.Option(
            "--host",
            metavar="HOST",
            help="Take the requests to this host, with or without its port; may be repeated. [default: of a recording, "
            "the one with the data; else the first request's]",
        ),
    ] = None,
    most: Annotated[
        int,
        typer.Option("--most", metavar="N", min=1, max=10_000, help="Keep so many requests, the most frequent ones."),
    ] = 100,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there already.")] = False,
) -> None:
    """Write a workload file from requests that exist already, to be edited.

    Asks a server of gRPC by reflection, or reads a command line of curl, a browser's recording (.har), a file of
    requests (.http, .rest), a collection of Postman, Insomnia or Bruno, a web server's access log, or an OpenAPI
    document. Says in comments what was left out and what was made up. Requests that are equal become one, with their
    number as its weight. Headers that all requests share become defaults.

    **Secrets** never reach the file: headers such as authorization and cookie, and parameters and members such as
    password and token, become variables of the environment (`{{env API_TOKEN}}`), and a comment names them.

    **Examples**

    `fairtrial import site.har -o shop.workload.toml`   record in the browser: developer tools, network, export HAR

    `fairtrial import 'curl https://shop.example/items -H "Accept: application/json"'`   copy as cURL, in quotes

    `fairtrial import requests.http`   of VS Code's REST Client, JetBrains' HTTP Client and others

    `fairtrial import access.log.gz -o shop.workload.toml`   routes with weights, and ids from the log as rows

    `tail -n 100000 access.log | fairtrial import - -o shop.workload.toml`

    `fairtrial import openapi.yaml`   its examples; what has none is made up, and marked

    `fairtrial import grpc://127.0.0.1:8080 -o shop.workload.toml`   a call of each method, and their descriptors

    Exit status: 0 written; 2 wrong use, or a source that cannot be read.
    """
    from rich.console import Console

    from fairtrial.base.printable import printable
    from fairtrial_import.grpc_reflection import SCHEME
    from fairtrial_import.import_source import Import, import_service, import_source
    from fairtrial_import.write import load_command

    call = Import(source=source, kind=kind, hosts=host or [], most=most, out=out, force=force)
    messages = Console(stderr=True)
    if source.startswith(SCHEME):
        import_service(call, messages)
        return
    workload = import_source(call, messages)
    if out is not None:
        next_command = printable(load_command(workload, str(out)), 500)
        messages.print(f"next: {next_command}", soft_wrap=True, highlight=False, markup=False)
