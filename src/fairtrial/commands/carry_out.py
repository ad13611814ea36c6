"""An experiment carried out from its file to its reports: what `run` and `ab-test` share."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fairtrial.cluster.options import HERE, LaneOptions
from fairtrial.commands.further_reports import NOTHING_FURTHER, FurtherReports
from fairtrial.commands.run_options import WHOLE, RunOptions, SelectionOptions

if TYPE_CHECKING:
    from rich.console import Console

    from fairtrial.base.problem import Problem
    from fairtrial.catalog.stacks.contenders import Checkouts
    from fairtrial.experiment.model import Experiment
    from fairtrial.judge.model import Result
    from fairtrial.lab.conduct import Conducted
    from fairtrial.lab.trial.events import Watcher
    from fairtrial.plan.plan import Plan
    from fairtrial.record.profile import Profiles


def carry_out(
    console: "Console",
    experiment: "Experiment",
    file: Path,
    options: RunOptions,
    selection: SelectionOptions = WHOLE,
    hosts: LaneOptions = HERE,
    *,
    left_out: Sequence[str] = (),
    answer: "Callable[[Result], str] | None" = None,
    reports: FurtherReports = NOTHING_FURTHER,
) -> "tuple[Result, Problem | None]":
    """Plan, announce, conduct and judge an experiment, write its reports and print the result.

    Args:
        file: the experiment's, to which paths in it are relative.
        left_out: ids of claims that the experiment does not hold any more; they are announced.
        answer: the sentence that answers what was asked, if it is one question. It is printed in place of the table;
            with `--verbose` below it.

    Returns:
        the result, and the problem that stopped the run or its reports, which has been printed.

    Raises:
        Problem: something that is named does not exist or does not fit, the design makes an answer worthless, or
            nothing could be recorded.
    """
    from fairtrial.base.file_limit import allow_connections
    from fairtrial.catalog.stacks.contenders import checked_out
    from fairtrial.commands.examined_design import examine_design
    from fairtrial.commands.output import print_problem
    from fairtrial.engine.binary import assert_engine
    from fairtrial.judge.judging import judge
    from fairtrial.lab.announce import announce
    from fairtrial.lab.progress import progress_on
    from fairtrial.lab.results_folder import results_folder
    from fairtrial.plan.plan import most_connections
    from fairtrial.report.profile.terminal import profile_parts
    from fairtrial.report.terminal import print_result

    elsewhere = hosts.is_elsewhere
    if not elsewhere:
        assert_engine()
    with checked_out(experiment, file.parent) as checkouts:
        plan, not_tried = planned(experiment, file, checkouts, options, selection, hosts)
        if not elsewhere:
            allow_connections(most_connections(plan))
        examine_design(console, plan, file, elsewhere=elsewhere, anyway=options.anyway, quick=options.quick)
        with (
            _runner(console, plan, file, options, hosts) as trials,
            results_folder(options.out, plan.experiment.name) as results,
        ):
            skipped = [*left_out, *not_tried]
            announce(console, plan, skipped, trials.lanes, verbose=options.verbose, profile=options.profile)
            with progress_on(console, verbose=options.verbose) as progress:
                conducted = trials.conduct(results, progress.on)
            with console.status("judging"):
                result = judge(conducted.record, conducted.trials, interrupted=conducted.interrupted)
                profiles = _profiles(results)
                report, problem = _write_reports(result, conducted, profiles, results, reports)
    sentence = None if answer is None or options.verbose else answer(result)
    profile = profile_parts(profiles, verbose=options.verbose)
    print_result(result, console, report, profile, verbose=options.verbose, answer=sentence)
    if problem:
        print_problem(problem)
    return result, problem


def planned(
    experiment: "Experiment",
    file: Path,
    checkouts: "Checkouts",
    options: RunOptions,
    selection: SelectionOptions = WHOLE,
    hosts: LaneOptions = HERE,
) -> "tuple[Plan, list[str]]":
    """The plan over the stacks to try, and the ids of claims that are left out with stacks that are not.

    Raises:
        Problem: something that is named does not exist or does not fit.
    """
    from fairtrial.catalog.stacks.contenders import with_contenders
    from fairtrial.catalog.stacks.find import find_stacks
    from fairtrial.lab.private_network import assert_within
    from fairtrial.lab.profile.block import assert_profilable
    from fairtrial.plan.make import make_plan
    from fairtrial.plan.selection import select_stacks
    from fairtrial.plan.validate import assert_urls_given

    folders = selection.stacks or []
    stacks = with_contenders(find_stacks(folders), experiment, file.parent, checkouts)
    selected, left_out = select_stacks(experiment, stacks, stack_names=selection.stack or [], stack_folders=folders)
    may_slice = options.slices is None and not hosts.is_elsewhere
    plan = make_plan(selected, stacks, file, may_slice=may_slice, workloads=selection.workloads or [])
    assert_urls_given(plan)
    if options.profile:
        assert_profilable(plan)
    if not hosts.is_elsewhere:
        assert_within(plan.stacks)
    return plan, left_out


_Conduct = Callable[[Path, "Watcher"], "Conducted"]
"""Makes everything ready and runs every trial; writes the record into a results folder."""


@dataclass(frozen=True)
class _Runner:
    """A place, and how an experiment is conducted there."""

    lanes: Sequence[str]
    """in words; empty on this machine"""
    conduct: _Conduct


@contextmanager
def _runner(console: "Console", plan: "Plan", file: Path, options: RunOptions, hosts: LaneOptions) -> Iterator[_Runner]:
    """The runner that the options name; a connection to a cluster ends at the end.

    Raises:
        Problem: the cluster cannot be used, or something of the plan is bound to this machine.
    """
    if not hosts.is_elsewhere:
        yield _Runner((), _conduct_here(plan, options))
        return
    from fairtrial.base.problem import Problem
    from fairtrial.cluster.reach import reached
    from fairtrial.lab.lanes.conduct import conduct_on_lanes
    from fairtrial.lab.lanes.describe import describe_lanes
    from fairtrial.lab.lanes.refusals import assert_separable, assert_shared, separate_roles
    from fairtrial.lab.lanes.start import lanes_of, load_processors, start_lanes
    from fairtrial.lab.lanes.task import sent_plan

    if options.profile:
        where = "--hosts" if hosts.cluster is None else "--cluster"
        raise Problem(f"--profile and {where} exclude each other", f"profile on one machine, without {where}")
    portable_plan = sent_plan(plan, str(file))
    with ExitStack() as ends:
        with console.status("looking at the cluster" if hosts.hosts is None else "bringing up the hosts"):
            cluster = ends.enter_context(reached(hosts))
            division = lanes_of(cluster, hosts.lanes, hosts.load_hosts_of_lane, separate=separate_roles(plan))
        assert_shared(plan, str(file), division.load_hosts, load_processors(division))
        assert_separable(plan, str(file), division.separate_roles)

        def conduct(results: Path, watcher: "Watcher") -> "Conducted":
            return conduct_on_lanes(
                plan,
                results,
                watcher,
                lambda inbox: start_lanes(
                    cluster, division, portable_plan, inbox, unencrypted=hosts.unencrypted, wait=options.wait
                ),
            )

        yield _Runner(describe_lanes(division), conduct)


def _conduct_here(plan: "Plan", options: RunOptions) -> _Conduct:
    from fairtrial.lab.conduct import conduct
    from fairtrial.lab.exclusive import processors_held
    from fairtrial.lab.trial.events import Step

    def here(results: Path, watcher: "Watcher") -> "Conducted":
        cpus = sorted(os.sched_getaffinity(0))
        with processors_held(cpus, lambda text: watcher(Step(text)), wait=options.wait):
            return conduct(plan, results, watcher, profile=options.profile)

    return here


def _profiles(results: Path) -> "Profiles":
    """The results of the extra block; none if that cannot be read, which is printed: no trial depends on it."""
    from fairtrial.base.problem import Problem
    from fairtrial.commands.output import print_problem
    from fairtrial.record.profile import NO_PROFILES, read_profiles

    try:
        return read_profiles(results)
    except Problem as problem:
        print_problem(problem)
        return NO_PROFILES


def _write_reports(
    result: "Result", conducted: "Conducted", profiles: "Profiles", results: Path, reports: FurtherReports
) -> "tuple[Path | None, Problem | None]":
    """Write every report, unless a problem stopped the run; return the HTML report and the problem, if any."""
    from fairtrial.base.problem import Problem
    from fairtrial.commands.further_reports import write_further
    from fairtrial.report.files import write_reports

    if conducted.problem is not None:
        return None, conducted.problem
    report = None
    try:
        report = write_reports(result, conducted.record, conducted.trials, results, profiles)
        write_further(result, conducted.trials, reports)
    except Problem as problem:
        return report, problem
    return report, None
