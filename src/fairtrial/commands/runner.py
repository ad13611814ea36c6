"""Where an experiment is carried out: on this machine, or on lanes of a cluster."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.cluster.options import LaneOptions
from fairtrial.commands.run_options import RunOptions

if TYPE_CHECKING:
    from rich.console import Console

    from fairtrial.lab.conduct import Conducted
    from fairtrial.lab.trial.events import Watcher
    from fairtrial.plan.plan import Plan

Conduct = Callable[[Path, "Watcher"], "Conducted"]
"""Makes everything ready and runs every trial; writes the record into a results folder."""


@dataclass(frozen=True)
class Runner:
    """A place, and how an experiment is conducted there."""

    lanes: Sequence[str]
    """in words; empty on this machine"""
    conduct: Conduct


@contextmanager
def runner(console: "Console", plan: "Plan", file: Path, options: RunOptions, hosts: LaneOptions) -> Iterator[Runner]:
    """The runner that the options name; a connection to a cluster ends at the end.

    Raises:
        Problem: the cluster cannot be used, or something of the plan is bound to this machine.
    """
    if not hosts.is_elsewhere:
        yield Runner((), _conduct_here(plan, options))
        return
    from fairtrial.base.problem import Problem
    from fairtrial.cluster.reach import reached
    from fairtrial.lab.lanes.conduct import conduct_on_lanes
    from fairtrial.lab.lanes.refusals import assert_separable, assert_shared, roles_apart
    from fairtrial.lab.lanes.start import lanes_of, start_lanes
    from fairtrial.lab.lanes.task import sent_plan

    if options.profile:
        where = "--hosts" if hosts.cluster is None else "--cluster"
        raise Problem(f"--profile and {where} exclude each other", f"profile on one machine, without {where}")
    portable_plan = sent_plan(plan, str(file))
    with ExitStack() as ends:
        with console.status("looking at the cluster" if hosts.hosts is None else "bringing up the hosts"):
            cluster = ends.enter_context(reached(hosts))
            lanes = lanes_of(cluster, hosts.lanes, hosts.load_hosts_of_lane, apart=roles_apart(plan))
        assert_shared(plan, str(file), lanes.load_hosts, lanes.load_processors)
        assert_separable(plan, str(file), lanes.roles_apart)

        def conduct(results: Path, watcher: "Watcher") -> "Conducted":
            return conduct_on_lanes(
                plan,
                results,
                watcher,
                lambda inbox: start_lanes(
                    cluster, lanes, portable_plan, inbox, unencrypted=hosts.unencrypted, wait=options.wait
                ),
                options.decide_within_seconds,
            )

        yield Runner(lanes.described(), conduct)


def _conduct_here(plan: "Plan", options: RunOptions) -> Conduct:
    from fairtrial.lab.conduct import conduct
    from fairtrial.lab.exclusive import processors_held
    from fairtrial.lab.trial.events import Step

    def here(results: Path, watcher: "Watcher") -> "Conducted":
        cpus = sorted(os.sched_getaffinity(0))
        with processors_held(cpus, lambda text: watcher(Step(text)), wait=options.wait):
            return conduct(plan, results, watcher, options.decide_within_seconds, profile=options.profile)

    return here
