"""Carries a plan out: makes everything ready, then runs trial after trial, block after block, and records each."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.engine.binary import engine_version
from fairtrial.lab.awake import processors_awake
from fairtrial.lab.calibrate import BlockCeilings, calibrate_loads
from fairtrial.lab.compare_answers import compared_with_reference
from fairtrial.lab.decide import RunEnd, WhenComplete, WhenDecided
from fairtrial.lab.first_line import first_line
from fairtrial.lab.placement import THIS_MACHINE, TrialHosts, planned_placement
from fairtrial.lab.preparation import Preparation, StackBuild, StepTimes, preparing
from fairtrial.lab.private_network import network_of
from fairtrial.lab.profile.block import profile_block
from fairtrial.lab.results_folder import earlier_runs
from fairtrial.lab.trial.environment import trial_environment
from fairtrial.lab.trial.events import Building, ExperimentBegins, Step, TrialBegins, TrialEnds, Watcher
from fairtrial.lab.trial.flow import Workbench, new_record, run_trial
from fairtrial.lab.trial.sliced_block import SlicedBlocks
from fairtrial.plan.plan import Plan, PlannedTrial
from fairtrial.record.model import ExperimentRecord, Failure, TrialRecord
from fairtrial.record.placement import Placement
from fairtrial.record.write import RecordWriter


@dataclass
class Conducted:
    """The record of a run, in memory, and how the run came to an end."""

    record: ExperimentRecord
    trials: list[TrialRecord] = field(default_factory=list)
    interrupted: bool = False
    problem: Problem | None = None
    """what stopped the experiment before its last trial, if something did"""

    def keep(self, trial: TrialRecord, writer: RecordWriter) -> None:
        """Add a trial, here and on the disk. Raises Problem: it cannot be written."""
        # Before it is written: an interrupt while the disk is awaited does not record the trial a second time.
        self.trials.append(trial)
        try:
            writer.append(trial)
        except Problem:
            self.trials.pop()
            raise


def conduct(
    plan: Plan,
    results: Path,
    watcher: Watcher,
    *,
    profile: bool = False,
) -> Conducted:
    """Make everything ready, run every trial, and write the record into `results` line by line.

    KeyboardInterrupt before the first trial is raised; later it ends the run (`run_trials`). Nothing that was started
    still runs when this returns.

    Args:
        profile: add the block under profilers, which is in no trial, if the run was not interrupted.

    Raises:
        Problem: the engine cannot be built, the reference differs from itself, or the record cannot be begun.
    """
    placement = planned_placement(plan.experiment)
    with made_ready(plan, placement, results, watcher) as ready:
        with RecordWriter(results) as writer:
            writer.append(ready.record)
            watcher(ExperimentBegins(ready.record))
            end = WhenDecided(ready.record) if plan.looks else WhenComplete(ready.record)
            conducted = run_trials(plan, ready.record, ready.run, writer, watcher, end)
        if profile and not conducted.interrupted and conducted.problem is None:
            profile_block(plan, ready.workbench, conducted.trials)
        return conducted


@dataclass(frozen=True)
class PreparedLab:
    """All that trials need, up and ready."""

    record: ExperimentRecord
    run: Callable[[PlannedTrial], TrialRecord]
    """runs a trial; the caller asks for those of a block in their order"""
    workbench: Workbench


@contextmanager
def made_ready(
    plan: Plan,
    placement: Placement,
    results: Path,
    watcher: Watcher,
    *,
    trial_hosts: TrialHosts = THIS_MACHINE,
) -> Iterator[PreparedLab]:
    """Build engine and stacks, bring services up, calibrate; all of it ends at the end.

    Args:
        trial_hosts: where load comes from. If that is another host, nothing is in a network of its own.

    Raises:
        Problem: the engine cannot be built, no build can be kept, or the reference differs from itself.
    """
    steps = StepTimes(lambda text: watcher(Step(text)))
    watcher(Building(steps.line))
    with building(plan, results / "logs", steps) as preparation:
        with steps.step("preparing the load engine"):
            version = engine_version()
        with (
            network_of(plan, plan.stacks) if trial_hosts is THIS_MACHINE else nullcontext(False) as private_network,
            trial_environment(plan, placement, watcher, trial_hosts) as services,
            processors_awake() as idle,
            ExitStack() as answers,
        ):
            ready = preparation.ready_stacks()
            watcher(Step(steps.summary()))
            workbench = Workbench(ready, services, results, watcher)
            reference = answers.enter_context(compared_with_reference(plan, workbench))
            if plan.experiment.slices is not None:  # each contender of a block has services of its own
                services.end_all()
            calibrations = calibrate_loads(plan, placement, watcher, trial_hosts)
            record = first_line(
                plan,
                placement,
                services.identities,
                [ready[stack.build_name(built_apart), 1].identity for stack, built_apart in plan.builds],
                idle=idle,
                engine_version=version,
                private_network=private_network,
                calibrations=calibrations,
                reference=reference,
                earlier=earlier_runs(results, plan.experiment.name),
            )

            blocks = SlicedBlocks(plan, workbench)
            in_turn = partial(run_trial, workbench=workbench) if plan.experiment.slices is None else blocks.run
            ceilings = BlockCeilings(plan, placement, calibrations, watcher, trial_hosts)

            def run_below_ceiling(trial: PlannedTrial) -> TrialRecord:
                seconds = ceilings.before(trial)
                return ceilings.add_to(in_turn(trial), seconds)

            yield PreparedLab(record, run_below_ceiling, workbench)


def run_trials(
    plan: Plan,
    record: ExperimentRecord,
    run: Callable[[PlannedTrial], TrialRecord],
    writer: RecordWriter,
    watcher: Watcher,
    end: RunEnd,
) -> Conducted:
    """Run the plan's trials in their order until `end` is reached; append each to the record.

    KeyboardInterrupt ends the run, wherever it comes from the first trial on; a trial that it hit is recorded as
    interrupted. A Problem, which no further trial could get past, ends it too. Both are told in what is returned.
    """
    conducted = Conducted(record)
    current: TrialRecord | None = None

    def keep(trial: TrialRecord) -> None:
        conducted.keep(trial, writer)
        watcher(TrialEnds(trial))

    try:
        for trial in plan.trials():
            if current is not None and trial.block > current.block and end.reached(conducted.trials):
                break
            current = new_record(trial)
            watcher(TrialBegins(trial))
            keep(run(trial))
    except KeyboardInterrupt:
        if current is None:
            raise
        conducted.interrupted = True
        if len(conducted.trials) < current.index:
            current.failure = Failure(stage="interrupted", reason="interrupted by the user", remedy="run it again")
            keep(current)
    except Problem as problem:
        conducted.problem = problem
    return conducted


def building(plan: Plan, logs: Path, steps: StepTimes) -> AbstractContextManager[Preparation]:
    """Begin every build of the plan, as often as the experiment says."""
    numbers = range(1, plan.experiment.builds + 1)
    builds = [StackBuild(stack, number, built_apart) for stack, built_apart in plan.builds for number in numbers]
    services = {condition.service.name for condition in plan.conditions}
    if plan.cache is not None:
        services.add(plan.cache.name)
    return preparing(builds, services=services, logs=logs, steps=steps)
