"""`fairtrial run`: conduct an experiment and judge it."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fairtrial.commands.further_reports import JUnit, Markdown, Verbose

Experiment = Annotated[
    str | None,
    typer.Argument(
        help="An experiment file, or the name of a shipped one (`fairtrial list experiments`). [default: the "
        "fairtrial.toml that lies here, else quickstart]"
    ),
]
Stack = Annotated[
    list[str] | None,
    typer.Option("--stack", help="Try only this stack, NAME or NAME:VARIANT. Repeat for several.", metavar="NAME"),
]
Stacks = Annotated[
    list[Path] | None,
    typer.Option(
        "--stacks",
        help="A folder with stacks of your own (or one stack): they are tried beside the experiment's. "
        "**Stacks are programs: they are built and run as you.**",
        metavar="DIR",
    ),
]
Workloads = Annotated[
    list[Path] | None,
    typer.Option("--workloads", help="A folder in which workload files are looked for, too.", metavar="DIR"),
]
Blocks = Annotated[int | None, typer.Option(min=1, help="Blocks: one trial of every stack each, in random order.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of the order of trials.")]
Out = Annotated[Path, typer.Option(help="Where the results folder NAME-TIME is made.", metavar="DIR")]
Decide = Annotated[
    float | None,
    typer.Option(
        min=0.1,
        metavar="MINUTES",
        help="Add blocks while a claim is undecided, until so many minutes have passed. The error rate is held for the "
        "looks taken: intervals are wider than those of a run that looks once.",
    ),
]
NoiseFloor = Annotated[
    bool,
    typer.Option(
        "--noise-floor",
        help="Try the first stack twice in each block, under two names: how different do equals look here?",
    ),
]
Profile = Annotated[
    bool,
    typer.Option(
        "--profile",
        help="Then load each stack once more under a profiler that is on this machine, to show why it is slow. It is "
        "in no figure and in no claim: docs/profile.md.",
    ),
]


class CrashAudits(StrEnum):
    """After which trials the database is killed."""

    some = "some"
    all = "all"
    none = "none"


CrashAudit = Annotated[
    CrashAudits | None,
    typer.Option(
        "--crash-audit",
        help="After which trials of a workload that writes the database is killed under a load of its own, to see "
        "whether what was acknowledged is still there; some: one in five, at least one of each stack.",
        show_default=False,
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="Three blocks of short trials: a look, not a judgement.")]
Anyway = Annotated[
    bool,
    typer.Option(
        "--anyway",
        help="Go on although the design makes an answer worthless, as a bound that nobody can keep does: "
        "docs/checks.md, The design before the first trial.",
    ),
]
Wait = Annotated[
    bool,
    typer.Option(
        "--wait/--no-wait", help="While another lab measures on the same processors: wait until it ends, or refuse."
    ),
]

Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Carry the trials out on hosts of a running Dask cluster, whose scheduler this is: docs/cluster.md. "
        "Each lane (a server's host and its load hosts) tries blocks of its own.",
        metavar="ADDRESS",
    ),
]
Hosts = Annotated[
    Path | None,
    typer.Option(
        "--hosts",
        help="Carry the trials out on the hosts of this file. A Dask cluster is brought up there by SSH, and down at "
        "the end: docs/cluster.md.",
        metavar="FILE",
    ),
]
Lanes = Annotated[
    int | None, typer.Option("--lanes", min=1, help="So many lanes of the cluster at most.", show_default="all")
]
LoadHosts = Annotated[
    int,
    typer.Option(
        "--load-hosts",
        min=1,
        max=1024,
        help="From so many hosts with the role load alone the load of each lane comes. They share its connections and "
        "arrivals and begin together; what they measured is one load.",
    ),
]
Unencrypted = Annotated[
    bool, typer.Option("--unencrypted", help="Accept connections to the cluster without TLS beyond this machine.")
]


def run(
    experiment: Experiment = None,
    stack: Stack = None,
    stacks: Stacks = None,
    workloads: Workloads = None,
    blocks: Blocks = None,
    seed: Seed = None,
    out: Out = Path("results"),
    decide: Decide = None,
    noise_floor: NoiseFloor = False,
    crash_audit: CrashAudit = None,
    quick: Quick = False,
    profile: Profile = False,
    anyway: Anyway = False,
    wait: Wait = True,
    cluster: Cluster = None,
    hosts: Hosts = None,
    lanes: Lanes = None,
    load_hosts: LoadHosts = 1,
    unencrypted: Unencrypted = False,
    junit: JUnit = None,
    markdown: Markdown = None,
    verbose: Verbose = False,
) -> None:
    """Conduct an experiment: every stack on trial, every claim judged.

    Exit status: 0 all trials valid and all claims upheld; 1 a claim refuted; 2 wrong use, a broken file or a
    worthless design; 3 a trial refused or not run, or a claim undecided; 4 nothing could run; 130 interrupted.
    """
    from rich.console import Console

    from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT
    from fairtrial.base.problem import Problem
    from fairtrial.commands.carry_out import carry_out
    from fairtrial.commands.run_settings import Settings
    from fairtrial.experiment.changes import with_settings
    from fairtrial.experiment.files import OWN, QUICKSTART, find_experiment, load_experiment
    from fairtrial.judge.outcome import exit_status
    from fairtrial.lab.private_network import assert_within

    console = Console()
    usual = OWN if Path(OWN).is_file() else QUICKSTART
    file = find_experiment(experiment or usual)
    loaded = load_experiment(file)
    if cluster is None and hosts is None:
        assert_within(loaded.contenders.values())
    if experiment is None and usual == OWN:
        console.print(f"the {OWN} of this folder (for the quickstart: fairtrial run {QUICKSTART})", highlight=False)
    changed, too_long = with_settings(
        loaded,
        blocks=blocks,
        seed=seed,
        quick=quick,
        noise_floor=noise_floor,
        crash_audit=None if crash_audit is None else crash_audit.value,
    )
    for is_set, option in (
        (lanes is not None, "--lanes"),
        (load_hosts > 1, "--load-hosts"),
        (unencrypted, "--unencrypted"),
    ):
        if is_set and cluster is None and hosts is None:
            raise Problem(f"{option} is about a cluster", "give it with --cluster ADDRESS or --hosts FILE")
    settings = Settings(
        out,
        stack or [],
        stacks or [],
        workloads or [],
        decide,
        junit,
        markdown,
        profile,
        quick,
        anyway,
        wait,
        cluster,
        hosts,
        lanes,
        load_hosts,
        verbose,
        unencrypted,
    )
    result, problem = carry_out(console, changed, file, settings, too_long)
    status = exit_status(result)
    raise typer.Exit(IN_DOUBT if problem and status == ALL_WELL else status)
