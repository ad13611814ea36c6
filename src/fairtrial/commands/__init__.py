"""The command line `fairtrial`: one module for each subcommand.

A subcommand imports what it needs when it is called, so that `--help` and small commands start fast.
"""

import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer

from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem
from fairtrial.base.user_namespace import StartAgainWithin, enter_if_started_again, start_again_within
from fairtrial.commands import ab as ab_command
from fairtrial.commands import wrk as wrk_command
from fairtrial.commands.ab_test import ab_test
from fairtrial.commands.check import check
from fairtrial.commands.cluster import cluster_app
from fairtrial.commands.compare import compare
from fairtrial.commands.doctor import doctor
from fairtrial.commands.explain import explain
from fairtrial.commands.history import history
from fairtrial.commands.judge import judge
from fairtrial.commands.lab import lab
from fairtrial.commands.list import list_available
from fairtrial.commands.load import load
from fairtrial.commands.on_macos import refuse_without_linux
from fairtrial.commands.output import print_problem, silent_exit_when_output_closes
from fairtrial.commands.pool import pool
from fairtrial.commands.rare_options import add_command
from fairtrial.commands.run import run
from fairtrial.commands.services import services_app
from fairtrial.commands.unforeseen import no_traceback
from fairtrial.commands.why import why
from fairtrial.commands.worker import worker
from fairtrial_adopt.command import adopt
from fairtrial_cross_examine.command import cross_examine
from fairtrial_docket.command import docket_app
from fairtrial_import.command import import_requests
from fairtrial_init.command import init

DOCS = f"Documentation, which messages name as docs/: {shipped('docs')}"

app = typer.Typer(
    name="fairtrial",
    help="""Put performance claims about HTTP API stacks on trial.

    Same work, same data, same load, real databases: each claim is upheld, refuted, equal or undecided, and
    every figure that cannot be defended is refused, with the reason.

    In the folder of a service, `fairtrial` alone says what to do next; elsewhere, `fairtrial run` is a quickstart.
    """,
    epilog=DOCS,
    invoke_without_command=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(init)
add_command(app, run)
add_command(app, ab_test, "ab-test")
add_command(app, why)
add_command(app, load)
app.command(context_settings=ab_command.SETTINGS)(ab_command.ab)
app.command(context_settings=wrk_command.SETTINGS)(wrk_command.wrk)
app.command()(check)
app.command("list")(list_available)
app.add_typer(services_app, name="services")
app.command()(doctor)
app.command()(explain)
app.add_typer(cluster_app, name="cluster")
add_command(app, judge)
app.command()(compare)
app.command()(history)
app.command()(pool)
app.command()(adopt)
app.command("cross-examine")(cross_examine)
app.add_typer(docket_app, name="docket")
app.command("import")(import_requests)
app.command(hidden=True)(lab)
app.command(hidden=True)(worker)


PANELS: Mapping[str, Mapping[str, str]] = {
    "To begin with": {
        "init": "put the service of a folder on trial",
        "run": "try it; or conduct any other experiment",
        "ab-test": "compare two commits of a service: is one slower?",
        "load": "offer load to a server that runs, and report what came back",
        "doctor": "see what this machine has, and what would improve its figures",
    },
    "Further trials": {
        "why": "find out why one contender is faster than another",
        "check": "try each clause of a stack's contract",
        "adopt": "make contenders of entries of public benchmarks",
        "import": "write a workload file from requests that exist already",
        "ab": "do what ab (ApacheBench) would do, and show what it hides",
        "wrk": "do what wrk would do, and show what it hides",
    },
    "Results": {
        "explain": "explain a name that a report or a message has",
        "judge": "judge a record again, and rebuild its reports",
        "compare": "compare two runs of one experiment",
        "history": "find the run in which a figure changed",
        "pool": "pool one experiment that many people ran",
        "cross-examine": "find what published output refutes by its own figures",
        "docket": "publish results as a static site",
    },
    "What there is": {
        "list": "list stacks, workloads, experiments, studies or metrics",
        "services": "list databases, caches and balancers, and install them",
        "cluster": "look at the hosts of a Dask cluster",
    },
}
"""By panel of `fairtrial --help`, its commands with their lines there."""

_places = {name: (panel, line) for panel, commands in PANELS.items() for name, line in commands.items()}
for each_command in app.registered_commands:
    each_command.epilog = DOCS
    function = each_command.callback
    name = each_command.name or (function.__name__ if function else "")
    each_command.rich_help_panel, each_command.short_help = _places.get(name, (None, None))
for each_group in app.registered_groups:
    each_group.rich_help_panel, each_group.short_help = _places[str(each_group.name)]
refuse_without_linux(app.registered_commands)
refuse_without_linux(services_app.registered_commands, "services")
refuse_without_linux(cluster_app.registered_commands, "cluster")


def _print_version(requested: bool) -> None:
    if requested:
        from fairtrial import __version__

        typer.echo(f"fairtrial {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        from rich.console import Console

        from fairtrial.commands.next_steps import print_next_steps

        print_next_steps(Console(highlight=False), Path())


def main() -> NoReturn:
    """Run the command line. A `Problem` is printed with its remedy and becomes the exit status.

    Whatever else is raised, in whatever thread, is told in one line: no traceback is printed.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    with no_traceback(), silent_exit_when_output_closes():
        try:
            enter_if_started_again()
            app(prog_name="fairtrial")
        except StartAgainWithin:
            start_again_within()
        except Problem as problem:
            print_problem(problem)
            sys.exit(problem.exit_status)
    sys.exit(0)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    """On SIGTERM, or when the terminal closes: end as on Ctrl-C, with all processes stopped and a report written."""
    raise KeyboardInterrupt
