"""`fairtrial cross-examine`: what printed figures refute by themselves."""

from pathlib import Path
from typing import Annotated

import typer


def cross_examine(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="What a tool printed, as text or JSON, a board's data, or a statement (.toml); several are compared. "
            "[default: standard input]",
            metavar="FILE...",
            show_default=False,
        ),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            "--json",
            metavar="FILE",
            help="Also write what was read and found as JSON, in seconds, bytes and per second; - is stdout.",
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Also write a row for each printed figure as CSV; - is stdout."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Also write it as one HTML page that opens offline; - is stdout."),
    ] = None,
) -> None:
    """Put published output on the stand: find what its own figures refute, by arithmetic alone.

    Reads what ab, wrk, wrk2, hey, oha, k6, h2load, autocannon, vegeta and hyperfine print. Looks for rates that are not
    requests over seconds, clients that cannot have been at work, errors that count as throughput, answers of different
    lengths, percentiles that the sample does not support, stalls of TCP's timers, closed loads beside open ones, delays
    that imply other delays, and the best of several runs. Each contradiction has its figures, its formula, and what to
    ask the author. Of the published data of TechEmpower, HttpArena and the-benchmarker, each row stands, contradicts
    itself, or cannot be told. A call that stands before its output (`$ hey -c 50 …`) is read, too: some tools do not
    print their own settings.

    **Examples**

    `fairtrial cross-examine wrk.log`

    `fairtrial cross-examine rails.txt goliath.txt --html page.html`

    `wrk -d30s -c100 http://127.0.0.1:8080/ | fairtrial cross-examine`

    Exit status: 0 no contradiction; 1 contradictions; 2 wrong use, or nothing that could be read; 3 no contradiction,
    but figures that were not read or are ambiguous.
    """
    from rich.console import Console

    from fairtrial.report.outputs import check_outputs
    from fairtrial_cross_examine.examination import examine_output
    from fairtrial_cross_examine.read import read_evidence
    from fairtrial_cross_examine.report.outputs import write_examination
    from fairtrial_cross_examine.report.terminal import print_examination

    paths = {"--json": json, "--csv": csv, "--html": html}
    to_stdout = check_outputs(paths)
    examination = examine_output(read_evidence(files or []))
    try:
        print_examination(examination, Console(stderr=to_stdout))
    finally:
        write_examination(paths, examination)  # even if the report's reader has gone
    raise typer.Exit(examination.exit_status)
