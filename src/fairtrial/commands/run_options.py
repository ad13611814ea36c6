"""The options of a run that several commands have, in groups that are passed on whole."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from fairtrial.commands.complete import stack_names
from fairtrial.commands.further_reports import Verbose

Stacks = Annotated[
    list[Path] | None,
    typer.Option(
        "--stacks",
        help="A folder with stacks of your own (or one stack): they are tried beside the experiment's. "
        "**Stacks are programs: they are built and run as you.**",
        metavar="DIR",
    ),
]


@dataclass(frozen=True)
class SelectionOptions:
    """The stacks and workloads that are tried, and the folders in which they are looked for."""

    stack: Annotated[
        list[str] | None,
        typer.Option(
            "--stack",
            help="Try only this stack, NAME or NAME:VARIANT. Repeat for several.",
            metavar="NAME",
            autocompletion=stack_names,
        ),
    ] = None
    stacks: Stacks = None
    workloads: Annotated[
        list[Path] | None,
        typer.Option(
            "--workloads", help="A folder in which workload files are looked for, too.", metavar="DIR", hidden=True
        ),
    ] = None


@dataclass(frozen=True)
class RunOptions:
    """How a run is conducted, and how much of it is printed."""

    blocks: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Blocks: one trial of every stack each, in random order.")
    ] = None
    out: Annotated[Path, typer.Option(help="Where the results folder NAME-TIME is made.", metavar="DIR")] = Path(
        "results"
    )
    minutes: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            metavar="MINUTES",
            help="In place of `--blocks`: add blocks until every claim is decided, for so many minutes at most. The "
            "error rate is held for the looks taken: intervals are a little wider than those of a run that looks once.",
        ),
    ] = None
    slices: Annotated[
        bool | None,
        typer.Option(
            "--slices/--no-slices",
            help="Keep all that is compared up at once and measure it in turn, a moment at a time; or try one after "
            "the other. Without either: as the file says, or, where blocks are added until claims are decided, in turn "
            "if that can be.",
            show_default=False,
            hidden=True,
        ),
    ] = None
    quick: Annotated[bool, typer.Option("--quick", help="Three blocks of short trials: a look, not a judgement.")] = (
        False
    )
    profile: Annotated[
        bool,
        typer.Option(
            "--profile",
            help="Then load each stack once more under a profiler that is on this machine, to show why it is slow. It "
            "is in no figure and in no claim: docs/profile.md.",
        ),
    ] = False
    anyway: Annotated[
        bool,
        typer.Option(
            "--anyway",
            help="Go on although the design makes an answer worthless, as a bound that nobody can keep does: "
            "docs/checks.md, The design before the first trial.",
            hidden=True,
        ),
    ] = False
    wait: Annotated[
        bool,
        typer.Option(
            "--wait/--no-wait",
            help="While another lab measures on the same processors: wait until it ends, or refuse.",
            hidden=True,
        ),
    ] = True
    verbose: Verbose = False


WHOLE = SelectionOptions()
