"""An experiment from its plan to its last trial."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from fairtrial import __version__
from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import pick_stack
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import implied_work, options_of, pick_workload
from fairtrial.catalog.workloads.model import Workload
from fairtrial.engine.binary import engine_version
from fairtrial.engine.dataset import spec_sha256
from fairtrial.experiment.loads import ProgramLoad
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.value import Value
from fairtrial.lab.calibrate import calibrate
from fairtrial.lab.decide import AtTheLastBlock, End, WhenDecided, looks_of
from fairtrial.lab.meters.host import this_host
from fairtrial.lab.placement import local_placement
from fairtrial.lab.preparation import Preparation, StackBuild, Steps, preparing
from fairtrial.lab.trial.context import Observed, Setting, Trial, TrialWatcher
from fairtrial.lab.trial.environment import Point, surroundings
from fairtrial.lab.trial.flow import now, run_trial, trial_record
from fairtrial.plan.order import block_order, conditions_of
from fairtrial.record.calibration import Calibration
from fairtrial.record.model import Condition, DatasetIdentity, ExperimentRecord, Failure, Placement, TrialRecord
from fairtrial.record.write import RecordWriter


class Watcher(TrialWatcher, Protocol):
    """Is told how an experiment goes on."""

    def preparing(self, what: str) -> None:
        """Something that may take a while begins, before the first trial."""

    def follow(self, steps: Steps) -> None:
        """The preparation begins: `steps` tells at any moment which of its steps run, and for how long."""

    def step(self, text: str) -> None:
        """A step of the preparation begins or ends; called by several threads, one at a time."""

    def rows_loaded(self, rows: int, of: int) -> None:
        """The dataset is being loaded."""

    def begins(self, experiment: ExperimentRecord) -> None:
        """Everything is ready; the first trial follows."""

    def trial_begins(self, trial: Trial) -> None:
        """A trial begins."""

    def trial_ends(self, record: TrialRecord) -> None:
        """A trial ended, and its line is on disk."""

    def close(self) -> None:
        """The experiment ended, in whatever way."""


@dataclass
class Conducted:
    """What was conducted: the record, in memory, and how it came to an end.

    `problem` is what stopped the experiment before its last trial, if something did.
    """

    experiment: ExperimentRecord
    trials: list[TrialRecord] = field(default_factory=list)
    interrupted: bool = False
    problem: Problem | None = None


def conduct(
    experiment: Experiment,
    stacks: Mapping[str, Stack],
    results: Path,
    watcher: Watcher,
    decide_within_seconds: float | None = None,
) -> Conducted:
    """Make everything ready, run every trial, write the record into `results` line by line.

    KeyboardInterrupt before the first trial is raised; later it ends the run, with the trial it hit recorded as
    interrupted. Nothing that was started still runs when this returns.

    With `decide_within_seconds`, blocks are added to those of the experiment while a claim is undecided, until that
    time has passed since the first trial (`conduct.decide`).

    Raises:
        Problem: the engine cannot be built, or the record cannot be begun.
    """
    workload = pick_workload(experiment.workload)
    steps = Steps(watcher.step)
    watcher.follow(steps)
    with steps.step("building the load engine"):
        version = engine_version()
    points = {value: _point(workload, experiment.at(value)) for value in experiment.points}
    placement = local_placement()
    with (
        _building(experiment, stacks, points, results, steps) as preparation,
        surroundings(workload, list(points.values()), placement, watcher.preparing, watcher.rows_loaded) as around,
    ):
        settings = {value: Setting(workload, point, around, placement, results) for value, point in points.items()}
        built = [(str(stack), build) for stack in experiment.stacks for build in range(1, experiment.builds + 1)]
        ready = dict(zip(built, preparation.ready_stacks(), strict=True))
        watcher.step(steps.summary())
        conditions = conditions_of(experiment)
        looks = [] if decide_within_seconds is None else looks_of(experiment)
        calibrations = _calibrations(conditions, placement, watcher)
        record = ExperimentRecord(
            fairtrial_version=__version__,
            started_at=now(),
            experiment=experiment,
            conditions=conditions,
            order=block_order(conditions, looks[-1] if looks else experiment.blocks, experiment.seed),
            looks=looks,
            host=this_host(),
            placement=placement,
            stacks=list({one.identity.name: one.identity for one in ready.values()}.values()),
            services=list(around.identities),
            **_datasets(conditions, points, loaded=bool(around.identities)),
            implied_work={
                condition.id: implied_work(workload, points[condition.at].options) for condition in conditions
            },
            engine_version=version,
            calibrations=calibrations,
        )

        def attempt(trial: Trial) -> TrialRecord:
            contender, _, _ = trial.condition.contender.partition(" ")
            return run_trial(settings[trial.condition.at], trial, ready[contender, trial.build], watcher)

        with RecordWriter(results) as writer:
            writer.append(record)
            watcher.begins(record)
            end = AtTheLastBlock() if decide_within_seconds is None else WhenDecided(record, decide_within_seconds)
            return _all_trials(record, attempt, writer, watcher, end)


def planned_trials(record: ExperimentRecord) -> list[Trial]:
    """Every trial of the experiment, in the order in which they are tried; blocks count from 1."""
    by_id = {condition.id: condition for condition in record.conditions}
    planned = [(block, name) for block, names in enumerate(record.order, 1) for name in names]
    builds = record.experiment.builds
    return [
        Trial(index, block, by_id[name], build=(block - 1) % builds + 1)
        for index, (block, name) in enumerate(planned, 1)
    ]


def _all_trials(
    record: ExperimentRecord,
    attempt: Callable[[Trial], TrialRecord],
    writer: RecordWriter,
    watcher: Watcher,
    end: End,
) -> Conducted:
    conducted = Conducted(record)

    def keep(line: TrialRecord) -> None:
        writer.append(line)
        conducted.trials.append(line)
        watcher.trial_ends(line)

    for trial in planned_trials(record):
        began = now()
        if trial.index > 1 and trial.block > conducted.trials[-1].block and end.reached(conducted.trials):
            break
        try:
            watcher.trial_begins(trial)
            keep(attempt(trial))
        except KeyboardInterrupt:
            conducted.interrupted = True
            if len(conducted.trials) < trial.index:
                cut_off = Failure(stage="interrupted", reason="interrupted by the user", remedy="run it again")
                keep(trial_record(trial, Observed(started_at=began, failure=cut_off)))
            break
        except Problem as problem:
            conducted.problem = problem
            break
    return conducted


def _building(
    experiment: Experiment, stacks: Mapping[str, Stack], points: Mapping[Any, Point], results: Path, steps: Steps
) -> AbstractContextManager[Preparation]:
    builds = [
        StackBuild(pick_stack(stacks, reference), reference.variant, build)
        for reference in experiment.stacks
        for build in range(1, experiment.builds + 1)
    ]
    services = {name for point in points.values() for name in point.services} | {experiment.cache or "none"}
    return preparing(builds, services=services, logs=results / "logs", steps=steps)


def _point(workload: Workload, experiment: Experiment) -> Point:
    options = options_of(workload, experiment.options)
    return Point(experiment, options, workload.data(experiment.dataset, options))


def _calibrations(conditions: Sequence[Condition], placement: Placement, watcher: Watcher) -> list[Calibration]:
    """One for each load that has connections; none where the engine could not carry it out, and that is said."""
    loads = {load.model_dump_json(): load for one in conditions if not isinstance(load := one.load, ProgramLoad)}
    found = []
    for load in loads.values():
        threads = getattr(load, "threads", None)
        watcher.preparing(
            f"calibration: the load engine against its own target, {load.connections} connections"
            + ("" if threads is None else f", {count(min(threads, load.connections), 'thread')}")
        )
        try:
            found.append(
                calibrate(
                    load.connections,
                    placement,
                    keep_alive=getattr(load, "keep_alive", True),
                    threads=threads,
                    rate_per_second=getattr(load, "rate_per_second", None),
                    window_seconds=min(1.0, max(0.3, getattr(load, "duration_seconds", 2.0) / 2)),
                )
            )
        except Problem as problem:
            watcher.preparing(f"calibration left out: {problem.reason}")
    return found


def _datasets(conditions: Sequence[Condition], points: Mapping[Value | None, Point], *, loaded: bool) -> dict[str, Any]:
    """The record's `dataset` and `datasets`: one for all conditions, or for each its own."""
    if not loaded:
        return {"dataset": None}
    found = {one.id: _identity(points[one.at].data) for one in conditions}
    first, *others = found.values()
    if all(other == first for other in others):
        return {"dataset": first}
    return {"dataset": None, "datasets": {name: one for name, one in found.items() if one is not None}}


def _identity(data: Data) -> DatasetIdentity | None:
    dataset = data.dataset
    if dataset is None:
        return None
    described = dataset.described
    return DatasetIdentity(
        name=dataset.spec["name"],
        sha256=spec_sha256(dataset.spec),
        rows=described["rows"],
        first_id=described["first_id"],
        last_id=described["last_id"],
    )
