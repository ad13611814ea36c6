"""A block whose conditions are up at once, and are measured in turn, in short slices.

Each condition still has one trial in the block, whose figures are those of its kept slices together: a fresh start
remains the unit of everything that is concluded. Which rounds are kept is decided by foreign load alone.
"""

import random
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from fairtrial.base.problem import Problem
from fairtrial.engine.process_tree import cpu_seconds_below
from fairtrial.engine.windows import PartHandler, WindowPart, in_turn
from fairtrial.experiment.slices import LEAST_ROUNDS, SPARE_TIMES, Rule, Shares, Slices
from fairtrial.lab.meters.bystanders import BystanderWatch
from fairtrial.lab.meters.in_turn import machine_in_turn, network_in_turn, server_in_turn
from fairtrial.lab.meters.slice_watch import SliceMeter, SliceWatch
from fairtrial.lab.meters.stray_threads import StrayThreadWatch
from fairtrial.lab.placement import bound_to
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.lab.trial.events import StageBegins
from fairtrial.lab.trial.flow import Workbench, keep_log, new_record
from fairtrial.lab.trial.offered_load import StackEnded, WindowHandler, run_once
from fairtrial.lab.trial.up import NotUp, UpContender, up
from fairtrial.lab.trial.whole_window import needs_whole_windows, whole_windows
from fairtrial.plan.plan import Plan, PlannedTrial
from fairtrial.record.engine_summary import EngineSummary, WarmUp
from fairtrial.record.model import Failure, TrialRecord
from fairtrial.record.slices import Slice, Slicing, WholeWindow

LEAD_SECONDS = 0.1
"""Load before the window of a slice: connections are set up in it, and what the slice before it left behind is done."""

IDLE_SECONDS = 0.5
"""For so long nothing is asked of anybody, to see what servers use while they are idle."""


class SlicedBlocks:
    """Runs the trials of a plan block by block, and hands them out one by one."""

    def __init__(self, plan: Plan, workbench: Workbench) -> None:
        self._workbench = workbench
        self._planned: dict[int, list[PlannedTrial]] = defaultdict(list)
        for trial in plan.trials():
            self._planned[trial.block].append(trial)
        self._ended: dict[int, TrialRecord] = {}
        rule = plan.experiment.slices
        rounds = 0 if rule is None else SPARE_TIMES * rule.rounds(plan.experiment.load)
        self._first_blocks = plan.experiment.first_blocks
        self._spare = _Spare(self._first_blocks * rounds)
        self._spare_of_added_block = rounds if plan.looks else 0

    def run(self, trial: PlannedTrial) -> TrialRecord:
        """The record of a trial; with the first of a block all of that block are run.

        KeyboardInterrupt stops all stacks and is raised again.
        """
        if trial.index not in self._ended:
            self._ended = {record.index: record for record in self._run_block(self._planned[trial.block])}
        return self._ended[trial.index]

    def _run_block(self, trials: Sequence[PlannedTrial]) -> list[TrialRecord]:
        if trials[0].block > self._first_blocks:
            self._spare.rounds += self._spare_of_added_block
        records = [new_record(trial) for trial in trials]
        contexts = []
        for trial, record in zip(trials, records, strict=True):
            try:
                contexts.append(self._workbench.context(trial, record))
            except NotUp as error:
                record.failure = error.failure
        busy: list[int] = []
        try:
            if len(contexts) == len(trials) and self._spare.rounds > 0:
                with bound_to(contexts[0].lab_cpus):
                    busy = _try_together(contexts, self._spare)
        finally:
            for context in contexts:
                keep_log(context, self._workbench.results)
        _say_why_not(trials, records, busy)
        return records


@dataclass
class _Spare:
    """How many rounds may still be tried beyond the planned ones, in all blocks together."""

    rounds: int


@dataclass(frozen=True)
class _Measured:
    """One slice."""

    number: int
    place: int
    summary: EngineSummary
    part: WindowPart
    meter: SliceMeter

    def recorded(self, *, is_kept: bool) -> Slice:
        return Slice(
            round=self.number,
            place=self.place,
            window_seconds=self.summary.window_seconds,
            verified=self.summary.verified,
            errors=sum(self.summary.errors.values()),
            server_cpu_seconds=self.meter.server.cpu_seconds,
            foreign_server_share=self.meter.foreign_server_share,
            foreign_engine_share=self.meter.foreign_engine_share,
            kept=is_kept,
        )


@dataclass
class _Condition:
    """A condition of the block that is up, and what was measured of it so far."""

    contender: UpContender
    stray_threads: StrayThreadWatch
    idle_seconds: float = 0.0
    idle_cpu_seconds: float = 0.0
    ports: Collection[int] = ()
    """on which it listens"""
    asked_slices: int = 0
    askers: set[str] = field(default_factory=set)
    measured: list[_Measured] = field(default_factory=list)
    rule: Rule = "quiet"
    kept_rounds: Sequence[bool] = ()
    whole_window: WholeWindow | None = None
    warm_up: WarmUp | None = None

    @property
    def context(self) -> TrialContext:
        return self.contender.context

    @property
    def deployment(self) -> Deployment:
        return self.contender.deployment

    @property
    def record(self) -> TrialRecord:
        return self.context.record

    def was_idle(self, seconds: float, cpu_seconds: float) -> None:
        self.idle_seconds += seconds
        self.idle_cpu_seconds += cpu_seconds


class _EndedEarly(Exception):
    """One of the block cannot go on; its record says why, or its exit status does."""


def _try_together(contexts: Sequence[TrialContext], spare: _Spare) -> list[int]:
    """Start all, measure them in turn, stop all; what goes wrong is in the record of the one that it went wrong with.

    Returns the indices of the trials whose servers are too busy while they are idle.
    """
    with ExitStack() as running:
        conditions: list[_Condition] = []
        for context in contexts:
            try:
                contender = running.enter_context(up(context))
            except NotUp as error:
                context.record.failure = error.failure
                return []
            watch = StrayThreadWatch(context.placement.server_cpus)
            conditions.append(_Condition(contender, watch, ports=_ports_of(contender.deployment)))
        try:
            return _measure(conditions, spare)
        except _EndedEarly:
            return []


def _measure(conditions: Sequence[_Condition], spare: _Spare) -> list[int]:
    """Fill the records; return the indices of the trials whose servers are too busy while they are idle."""
    for each in conditions:
        with each.context.stage("contract"):
            each.record.contract.extend(each.contender.contract())
    if not all(clause.passed for each in conditions for clause in each.record.contract):
        return []
    experiment = conditions[0].context.plan.experiment
    rule, load = experiment.slices, conditions[0].context.condition.load
    assert rule is not None
    began = time.monotonic()
    for each in conditions:
        each.context.watcher(StageBegins("load"))
        if load.warmup_seconds > 0:
            each.warm_up = _engine(each, {"duration_seconds": LEAD_SECONDS}, draw=0).warm_up
    _look_at_idle(conditions)
    planned = rule.rounds(load)
    busy = [each.context.trial.index for each in conditions if not _may_be_kept(each, rule)]
    if not busy:
        _rounds(conditions, rule, planned, spare)
        if needs_whole_windows(experiment) and sum(conditions[0].kept_rounds) >= LEAST_ROUNDS:
            _whole_windows(conditions, rule, planned)
    for each in conditions:
        each.record.stage_seconds["load"] = round((time.monotonic() - began) / len(conditions), 3)
        _put_together(each, planned)
    return busy


def _rounds(conditions: Sequence[_Condition], rule: Slices, planned: int, spare: _Spare) -> None:
    first = conditions[0].context
    draw = random.Random(f"{first.plan.experiment.seed} {first.trial.block}")  # noqa: S311 (an order, not a secret)
    shares: list[Shares] = []
    while rule.goes_on(len(shares), sum(rule.selection(shares)[1]), planned, spare.rounds):
        number = len(shares) + 1
        spare.rounds -= number > planned
        in_round = []
        for place, each in enumerate(draw.sample(conditions, len(conditions)), 1):
            measurement = _slice(each, conditions, rule.seconds, number, place)
            each.measured.append(measurement)
            in_round.append((measurement.meter.foreign_server_share, measurement.meter.foreign_engine_share))
        shares.append(in_round)
    name, kept_rounds = rule.selection(shares)
    for each in conditions:
        each.rule, each.kept_rounds = name, kept_rounds


def _whole_windows(conditions: Sequence[_Condition], rule: Slices, planned: int) -> None:
    """Measure each condition at one go for as long as its planned rounds take."""
    first, number = conditions[0], len(conditions[0].measured) + 1
    draw = random.Random(f"{first.context.plan.experiment.seed} {first.context.trial.block} whole")  # noqa: S311

    def measure(each: _Condition, place: int, lead_seconds: float) -> tuple[EngineSummary, SliceMeter]:
        window = _slice(each, conditions, planned * rule.seconds, number, place, lead_seconds)
        return window.summary, window.meter

    for each, window in whole_windows(conditions, rule, first.rule, draw, measure):
        each.whole_window = window


def _slice(
    loaded: _Condition,
    conditions: Sequence[_Condition],
    seconds: float,
    number: int,
    place: int,
    lead_seconds: float = LEAD_SECONDS,
) -> _Measured:
    idle = [each for each in conditions if each is not loaded]
    beside = [each.deployment.roots for each in idle]
    watch = SliceWatch(loaded.context.placement, loaded.deployment.roots, beside, loaded.stray_threads)
    bystanders = BystanderWatch(loaded.ports, beside, seconds)

    def on_window(state: str) -> None:
        if state == "opened":
            watch.open()
            bystanders.open()
        elif state == "closed":
            watch.close()
            bystanders.close()

    lead = {"warmup_seconds": lead_seconds, "warmup_limit_seconds": lead_seconds}
    changes = {**lead, "duration_seconds": seconds}
    parts: list[WindowPart] = []
    summary = _engine(loaded, changes, draw=number, on_window=on_window, on_part=parts.append)
    if any(each.deployment.status() is not None for each in conditions):
        raise _EndedEarly
    meter = watch.result(summary)
    for each, cpu_seconds in zip(idle, meter.idle_cpu_seconds, strict=True):
        each.was_idle(meter.server.window_seconds, cpu_seconds)
    for asking in [idle[at] for at in bystanders.connected]:
        asking.asked_slices += 1
        loaded.askers.add(asking.record.condition)
    return _Measured(number, place, summary, parts[0], meter)


def _engine(
    each: _Condition,
    changes: Mapping[str, float],
    *,
    draw: int,
    on_window: WindowHandler = lambda _state: None,
    on_part: PartHandler | None = None,
) -> EngineSummary:
    """One run of the engine under the condition's load with these changes.

    What goes wrong in it ends the block, and is in the condition's record.
    """
    moment = each.context.condition.load.single_run().model_copy(update=dict(changes))
    try:
        return run_once(each.context, each.deployment, moment, on_window=on_window, draw=draw, on_part=on_part)
    except StackEnded as ended:  # its exit status, which is read when all are stopped, says so
        raise _EndedEarly from ended
    except Problem as problem:
        each.record.failure = Failure.of("load", problem)
        raise _EndedEarly from problem


def _look_at_idle(conditions: Sequence[_Condition]) -> None:
    before = [sum(cpu_seconds_below(*each.deployment.roots)) for each in conditions]
    began = time.monotonic()
    time.sleep(IDLE_SECONDS)
    for each, used in zip(conditions, before, strict=True):
        cpu_seconds = sum(cpu_seconds_below(*each.deployment.roots)) - used
        each.was_idle(time.monotonic() - began, cpu_seconds)


def _may_be_kept(each: _Condition, rule: Slices) -> bool:
    """Whether any round could be quiet while this server is idle: what it uses then is foreign load to the others."""
    used = each.idle_cpu_seconds / each.idle_seconds / len(each.context.placement.server_cpus)
    return rule.is_quiet(used, 0.0)


def _ports_of(deployment: Deployment) -> Collection[int]:
    """All on which a contender listens, behind a balancer as well; where that is not known, the one that is asked."""
    listening = deployment.listening()
    port = int(deployment.address.rpartition(":")[2])
    return {port, *(each for _, each in listening or ())}


def _put_together(each: _Condition, planned: int) -> None:
    """Fill the trial's record from the slices that were kept, if there are enough of them."""
    record = each.record
    record.slices = Slicing(
        planned_rounds=planned,
        rule=each.rule,
        slices=[
            measurement.recorded(is_kept=is_kept)
            for measurement, is_kept in zip(each.measured, each.kept_rounds, strict=True)
        ],
        idle_seconds=each.idle_seconds,
        idle_cpu_seconds=each.idle_cpu_seconds,
        asked_slices=each.asked_slices,
        askers=sorted(each.askers),
        tails_of_slices=False,
        whole_window=each.whole_window,
    )
    used = [measurement for measurement, is_kept in zip(each.measured, each.kept_rounds, strict=True) if is_kept]
    if len(used) < LEAST_ROUNDS:
        return
    summary = in_turn([measurement.part for measurement in used])
    record.engine = summary.model_copy(update={"warm_up": each.warm_up})
    record.server = server_in_turn([measurement.meter.server for measurement in used])
    record.stray_threads = each.stray_threads.result()
    record.machine = machine_in_turn([measurement.meter.machine for measurement in used])
    record.network = network_in_turn([measurement.meter.network for measurement in used])


def _say_why_not(trials: Sequence[PlannedTrial], records: Sequence[TrialRecord], busy: Collection[int]) -> None:
    """Record, for each trial without a figure and without a reason of its own, what kept it from one.

    Args:
        busy: indices of trials whose servers were too busy while they were idle, which a check says of them.
    """
    rule = trials[0].condition.point.experiment.slices
    assert rule is not None
    at_fault = [record.index in busy or _is_at_fault(record) for record in records]
    culprits = [trial.condition.label for trial, guilty in zip(trials, at_fault, strict=True) if guilty]
    for record, guilty in zip(records, at_fault, strict=True):
        if record.engine is not None or guilty:
            continue
        if culprits:
            record.failure = Failure(
                stage="crowded",
                reason=f"it is measured in turn with {culprits[0]}, which could not be measured",
                remedy=f"see why {culprits[0]} could not",
            )
        else:
            slices = [] if record.slices is None else record.slices.slices
            kept_rounds = sum(each.kept for each in slices)
            record.failure = Failure(
                stage="crowded",
                reason=f"only {kept_rounds} of {len(slices)} rounds could be kept, in which {rule.describe()}"
                if slices
                else "earlier blocks used up all rounds that there were to spare: the machine was too busy",
                remedy="stop what else runs on this machine, or try again at a quieter time",
            )


def _is_at_fault(record: TrialRecord) -> bool:
    """Whether its record says why it could not be measured."""
    broken = not all(clause.passed for clause in record.contract)
    return broken or record.failure is not None or record.exit_status is not None
