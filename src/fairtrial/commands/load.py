"""`fairtrial load`: the load engine by itself, aimed at any URL."""

from typing import Annotated

import typer

from fairtrial.cluster.options import LoadHostsOptions
from fairtrial.commands.option_groups import with_option_groups
from fairtrial.tools.load.request.options import OUTPUT, GoalOptions, LoadOptions, OutputOptions

Plain = Annotated[
    bool,
    typer.Option(
        "--plain", help="No live view: a line a second, as without a terminal.", rich_help_panel=OUTPUT, hidden=True
    ),
]

Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Print the distribution of times, traffic and every probed rate, too.",
        rich_help_panel=OUTPUT,
    ),
]


@with_option_groups
def load(
    options: LoadOptions,
    goals: GoalOptions,
    hosts: LoadHostsOptions,
    outputs: OutputOptions,
    plain: Plain = False,
    verbose: Verbose = False,
) -> None:
    """Offer load to a URL, or a file's requests, and report what came back: verified answers first, errors by kind.

    Without -r, --ramp and --steps the load is **closed**: each connection waits for its answer before it sends again,
    so a slow server receives fewer requests. With them it is **open**: requests are due by the clock, as those of
    independent clients are, and the time for which one waits for a connection counts.

    Aim it only at servers that are yours.

    **Examples** (more in docs/load.md)

    - `fairtrial load http://127.0.0.1:8080/`   ten seconds, 16 connections
    - `fairtrial load -r 2k http://127.0.0.1:8080/`   an open load
    - `fairtrial load -f shop.workload.toml http://127.0.0.1:8080/`   a mix
    - `fairtrial load --expect 'p99<50ms' http://127.0.0.1:8080/`   a budget

    **Exit status** 0 all was answered as expected, and every figure of --expect upheld; 1 a figure is refuted; 2 wrong
    use; 3 some was not answered as expected, the server said what nobody had asked, a figure is undecided, or no
    capacity was found; 4 nothing was answered as expected, or the server could not be reached; 130 interrupted (what
    was measured is reported).
    """
    from rich.console import Console

    from fairtrial.report.outputs import check_outputs
    from fairtrial.tools.load.offer import offer
    from fairtrial.tools.load.report.outputs import write_load

    use_stdout = check_outputs(outputs.paths)
    errors = Console(stderr=True)
    measurement = offer(errors, options, goals, hosts, plain=plain)

    from fairtrial.tools.load.report.terminal import print_measurement  # needs numpy, which a load need not wait for

    try:
        print_measurement(errors if use_stdout else Console(), measurement, verbose=verbose)
    finally:
        write_load(outputs.paths, measurement)  # even if standard output was closed
    raise typer.Exit(measurement.exit_status)
