"""The options of a run that several commands have, in groups that are passed on whole."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from fairtrial.commands.further_reports import JUnit, Markdown, Verbose

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
        typer.Option("--stack", help="Try only this stack, NAME or NAME:VARIANT. Repeat for several.", metavar="NAME"),
    ] = None
    stacks: Stacks = None
    workloads: Annotated[
        list[Path] | None,
        typer.Option("--workloads", help="A folder in which workload files are looked for, too.", metavar="DIR"),
    ] = None


@dataclass(frozen=True)
class RunOptions:
    """How a run is conducted, and what is written of it."""

    blocks: Annotated[
        int | None, typer.Option(min=1, help="Blocks: one trial of every stack each, in random order.")
    ] = None
    out: Annotated[Path, typer.Option(help="Where the results folder NAME-TIME is made.", metavar="DIR")] = Path(
        "results"
    )
    decide: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            metavar="MINUTES",
            help="Add blocks while a claim is undecided, until so many minutes have passed. The error rate is held for "
            "the looks taken: intervals are wider than those of a run that looks once.",
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
        ),
    ] = False
    wait: Annotated[
        bool,
        typer.Option(
            "--wait/--no-wait",
            help="While another lab measures on the same processors: wait until it ends, or refuse.",
        ),
    ] = True
    junit: JUnit = None
    markdown: Markdown = None
    verbose: Verbose = False

    @property
    def decide_within_seconds(self) -> float | None:
        """`decide`, in seconds."""
        return None if self.decide is None else 60 * self.decide


@dataclass(frozen=True)
class ClusterOptions:
    """On which hosts trials take place; without an address and a file, on this machine."""

    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            help="Carry the trials out on hosts of a running Dask cluster, whose scheduler this is: docs/cluster.md. "
            "Each lane (a server's host and its load hosts) tries blocks of its own.",
            metavar="ADDRESS",
        ),
    ] = None
    hosts: Annotated[
        Path | None,
        typer.Option(
            "--hosts",
            help="Carry the trials out on the hosts of this file. A Dask cluster is brought up there by SSH, and down "
            "at the end: docs/cluster.md.",
            metavar="FILE",
        ),
    ] = None
    lanes: Annotated[
        int | None,
        typer.Option("--lanes", min=1, help="So many lanes of the cluster at most.", show_default="all"),
    ] = None
    load_hosts: Annotated[
        int,
        typer.Option(
            "--load-hosts",
            min=1,
            max=1024,
            help="From so many hosts with the role load alone the load of each lane comes. They share its connections "
            "and arrivals and begin together; what they measured is one load.",
        ),
    ] = 1
    unencrypted: Annotated[
        bool, typer.Option("--unencrypted", help="Accept connections to the cluster without TLS beyond this machine.")
    ] = False

    @property
    def is_elsewhere(self) -> bool:
        """Whether trials take place on hosts of a cluster."""
        return self.cluster is not None or self.hosts is not None

    def assert_consistent(self) -> None:
        """An option about a cluster is given with one.

        Raises:
            Problem: it is not.
        """
        from fairtrial.base.problem import Problem

        for is_set, option in (
            (self.lanes is not None, "--lanes"),
            (self.load_hosts > 1, "--load-hosts"),
            (self.unencrypted, "--unencrypted"),
        ):
            if is_set and not self.is_elsewhere:
                raise Problem(f"{option} is about a cluster", "give it with --cluster ADDRESS or --hosts FILE")


HERE = ClusterOptions()
WHOLE = SelectionOptions()
