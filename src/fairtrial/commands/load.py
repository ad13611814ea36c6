"""`fairtrial load`: the load engine by itself, aimed at any URL."""

from pathlib import Path
from typing import Annotated

import typer


def load(
    url: Annotated[str, typer.Argument(help="What to request: http://HOST[:PORT]/PATH.")],
    connections: Annotated[
        int,
        typer.Option("-c", "--connections", min=1, max=60_000, help="Connections kept busy (closed load)."),
    ] = 16,
    requests: Annotated[
        int | None, typer.Option("-n", "--requests", min=1, help="Stop after this many requests.")
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option("-d", "--duration", help="Stop after this time: 10s, 500ms, 2m.", metavar="TIME"),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the engine's whole summary there.", metavar="FILE")
    ] = None,
) -> None:
    """Offer a closed load to a URL and print what came back: verified answers first, errors by kind.

    Any 2xx answer counts. Without -n and -d, the load lasts ten seconds. Aim it only at servers that are yours.

    Exit status: 0 every request was answered well; 3 some were not; 4 none was; 130 interrupted.
    """
    from rich.console import Console

    from fairtrial.engine.run import run_engine
    from fairtrial.load.duration import parse_duration
    from fairtrial.load.plan import plan_for
    from fairtrial.load.show import LoadProgress, load_exit_status, print_load, write_json
    from fairtrial.problem import Problem

    if requests is not None and duration is not None:
        raise Problem("-n and -d exclude each other", "give one of them")
    seconds = parse_duration(duration) if duration else 10.0
    plan = plan_for(url, connections=connections, requests=requests, seconds=seconds)
    console = Console()
    with LoadProgress(Console(stderr=True), plan) as progress:
        summary = run_engine(plan, progress.engine_event, report_when_interrupted=True)
    print_load(console, url, plan, summary)
    if json_file is not None:
        write_json(json_file, url, plan, summary)
    raise typer.Exit(load_exit_status(summary))
