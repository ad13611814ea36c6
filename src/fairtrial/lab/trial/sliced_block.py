"""Blocks whose conditions are up at once, all or a group after the other, and are measured in turn, in short slices.

Each condition still has one trial in the block, whose figures are those of its kept slices together: a fresh start
remains the unit of everything that is concluded. Which rounds are kept is decided by foreign load alone.
"""

import math
import random
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from fairtrial.base.problem import Problem
from fairtrial.engine.windows import PartHandler, WindowPart, in_turn
from fairtrial.experiment.slices import BUSY_PROCESSORS, CROWDED_BLOCKS, LEAST_ROUNDS, Rule, Shares, Slices
from fairtrial.lab.meters.bystanders import BystanderWatch
from fairtrial.lab.meters.in_turn import machine_in_turn, network_in_turn, server_in_turn
from fairtrial.lab.meters.memory_room import MemoryRoom
from fairtrial.lab.meters.network import listen_overflows
from fairtrial.lab.meters.slice_watch import IdleUse, Party, SliceMeter, SliceWatch
from fairtrial.lab.meters.stray_threads import StrayThreadWatch
from fairtrial.lab.placement import bound_to
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.crowded import say_why_not
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.lab.trial.events import Notice, StageBegins
from fairtrial.lab.trial.flow import Workbench, new_record, run_audited, run_trial
from fairtrial.lab.trial.offered_load import StackEnded, WindowHandler
from fairtrial.lab.trial.parties import party_of, ports_of
from fairtrial.lab.trial.slice_proof import SliceProof
from fairtrial.lab.trial.up import NotUp, UpContender, up
from fairtrial.lab.trial.whole_window import needs_whole_windows, whole_windows
from fairtrial.plan.groups import compared_conditions, in_groups
from fairtrial.plan.plan import Plan, PlannedTrial
from fairtrial.record.engine_summary import EngineSummary, WarmUp
from fairtrial.record.model import Failure, TrialRecord
from fairtrial.record.slices import Slice, Slicing, WholeWindow

LEAD_SECONDS = 0.1
"""Load before the window of a slice, at least, where connections are set up in it. The slice before has been drained by
then."""

KEPT_LEAD_SECONDS = 0.05
"""The same where all connections are open from the slice before. What is left to come back are the caches, of some MiB:
a millisecond of reading from memory. Fifty times as much is an eighth of a slice."""

BACKLOG_LEAD_SECONDS = 1.25
"""At least, where a server's accept queue did not hold all connections at once: the kernel tries again after a second
(RFC 6298, section 2), and until then these would count as never answered."""

LONGEST_LEAD_SECONDS = 2.0
"""At most, however long requests take."""

GOLDEN_RATIO = (math.sqrt(5) - 1) / 2

IDLE_SECONDS = 0.5
"""For so long nothing is asked of anybody, to see what servers use while they are idle."""


class SlicedBlocks:
    """Runs the trials of a plan group by group, and hands them out one by one.

    A group that the memory does not hold is split, and so is every larger one from then on. If the slices give way, and
    turn out not to fit, further blocks are run one trial after the other, in whole windows.
    """

    def __init__(self, plan: Plan, workbench: Workbench) -> None:
        self._workbench = workbench
        self._planned: dict[tuple[int, int], list[PlannedTrial]] = defaultdict(list)
        for trial in plan.trials():
            self._planned[trial.block, trial.group].append(trial)
        self._compared = compared_conditions(plan.experiment, plan.conditions)
        self._most = len(plan.conditions)
        self._ended: dict[int, TrialRecord] = {}
        self._gives_way = plan.experiment.slices is not None and plan.experiment.slices.gives_way
        thresholds = plan.experiment.checks.get("busy-while-idle", {})
        self._busy_processors = thresholds.get("processors", BUSY_PROCESSORS)
        self._crowded_blocks = set[int]()
        self._last_block: int | None = None
        """the last that is measured in slices; None: all are"""

    def run(self, trial: PlannedTrial) -> TrialRecord:
        """The record of a trial; with the first of a group all of that group are run.

        KeyboardInterrupt stops all stacks and is raised again.
        """
        if self._last_block is not None and trial.block > self._last_block:
            return run_trial(trial, self._workbench)
        if trial.index not in self._ended:
            group = self._planned[trial.block, trial.group]
            self._ended = {record.index: record for record in self._run_group(group)}
            if self._gives_way:
                self._give_way(group)
        return self._ended[trial.index]

    def _give_way(self, group: Sequence[PlannedTrial]) -> None:
        """Note, and say, that no later block is measured in slices, if these show that they do not fit."""
        if self._last_block is not None or (reason := self._why_not_again(group)) is None:
            return
        self._last_block = group[0].block
        self._workbench.watcher(
            Notice(
                f"{reason}: from the next block on all are tried one after the other, in whole windows, and what was "
                "measured in slices counts for nothing"
            )
        )

    def _why_not_again(self, group: Sequence[PlannedTrial]) -> str | None:
        """Why no further block should be measured in slices, seen from the machine and from idle servers alone."""
        for trial in group:
            slices = self._ended[trial.index].slices
            if slices is not None and slices.idle_processors >= self._busy_processors:
                used = f"{slices.idle_processors:.0%} of a processor"
                return f"{trial.condition.label} used {used} while it was asked nothing"
        slicings = [self._ended[trial.index].slices for trial in group]
        if all(each is not None and each.slices and each.kept_rounds < LEAST_ROUNDS for each in slicings):
            self._crowded_blocks.add(group[0].block)
        if self._crowded_blocks >= set(range(1, CROWDED_BLOCKS + 1)):
            return f"too few rounds of the first {CROWDED_BLOCKS} blocks could be kept"
        return None

    def _run_group(self, trials: Sequence[PlannedTrial]) -> list[TrialRecord]:
        if len(trials) > self._most:
            return [record for part in self._parts(trials) for record in self._run_group(part)]
        try:
            return self._run_together(trials)
        except _MemoryFull:
            self._most = (len(trials) + 1) // 2
            return self._run_group(trials)

    def _parts(self, trials: Sequence[PlannedTrial]) -> list[list[PlannedTrial]]:
        """Smaller groups, in which what claims compare is together as far as that goes."""
        by_condition = {trial.condition: trial for trial in trials}
        draw = random.Random(f"{trials[0].condition.point.experiment.seed} {trials[0].index}")  # noqa: S311 (no secret)
        parts = in_groups([*by_condition], self._compared, self._most, draw)
        return [[by_condition[condition] for condition in part] for part in parts]

    def _run_together(self, trials: Sequence[PlannedTrial]) -> list[TrialRecord]:
        """Raises _MemoryFull if they cannot all be up at once."""
        records = [new_record(trial) for trial in trials]
        busy: list[int] = []
        room = MemoryRoom()
        with ExitStack() as services:
            contexts = list(self._contexts(trials, records, services, room))

            def run() -> None:
                with bound_to(contexts[0].lab_cpus):
                    busy.extend(_try_together(contexts, room))

            if len(contexts) == len(trials):
                run_audited(contexts, self._workbench.results, run)
        say_why_not(trials, records, busy)
        return records

    def _contexts(
        self, trials: Sequence[PlannedTrial], records: Sequence[TrialRecord], services: ExitStack, room: MemoryRoom
    ) -> Iterator[TrialContext]:
        """Each trial with services of its own, which `services` ends; but for those whose records say why not."""
        for number, (trial, record) in enumerate(zip(trials, records, strict=True)):
            _assert_room(room, number)
            try:
                own = services.enter_context(self._workbench.services.apart())
                yield replace(self._workbench, services=own).context(trial, record)
            except NotUp as error:
                record.failure = error.failure
            except Problem as problem:
                record.failure = Failure.of("service", problem)


class _MemoryFull(Exception):
    """The memory does not hold all that were to be up at once."""


def _assert_room(room: MemoryRoom, number_up: int) -> None:
    """Raise _MemoryFull if some are up, and no more should be started beside them."""
    if number_up > 0 and room.is_full():
        raise _MemoryFull


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
    proof: SliceProof
    party: Party
    ports: Collection[int] = ()
    """on which it, its services and its upstream listen"""
    idle_seconds: float = 0.0
    idle: IdleUse = field(default_factory=IdleUse)
    least_lead_seconds: float = LEAD_SECONDS
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

    def was_idle(self, seconds: float, used: IdleUse) -> None:
        self.idle_seconds += seconds
        self.idle += used

    @contextmanager
    def ending_block(self) -> Iterator[None]:
        """Within, a fault ends the block, and is in the record."""
        try:
            yield
        except StackEnded as ended:  # its exit status, which is read when all are stopped, says so
            raise _EndedEarly from ended
        except Problem as problem:
            self.record.failure = Failure.of("load", problem)
            raise _EndedEarly from problem


class _EndedEarly(Exception):
    """One of the block cannot go on; its record says why, or its exit status does."""


def _try_together(contexts: Sequence[TrialContext], room: MemoryRoom) -> list[int]:
    """Start all, measure them in turn, stop all; what goes wrong is in the record of the one that it went wrong with.

    Returns the indices of the trials whose servers are too busy while they are idle. Raises _MemoryFull.
    """
    conditions: list[_Condition] = []
    busy: list[int] = []
    with ExitStack() as running:
        for context in contexts:
            running.push(partial(_note_problem, context.record))
            _assert_room(room, len(conditions))
            try:
                conditions.append(_condition(running.enter_context(up(context))))
                running.callback(conditions[-1].proof.release)
            except NotUp as error:
                context.record.failure = error.failure
                return []
        try:
            busy = _measure(conditions)
        except _EndedEarly:
            return []
    for each in conditions:
        _conclude(each)
    return busy


def _note_problem(record: TrialRecord, _kind: object, error: BaseException | None, _trace: object) -> bool:
    """Whether a condition ended with a Problem: a proxy or an upstream gave no account, which its record then says."""
    if isinstance(error, Problem) and record.failure is None:
        record.failure = Failure.of("service", error)
    return isinstance(error, Problem)


def _condition(contender: UpContender) -> _Condition:
    context = contender.context
    rule, load = context.plan.experiment.slices, context.condition.load
    assert rule is not None
    return _Condition(
        contender,
        StrayThreadWatch(context.placement.server_cpus),
        SliceProof(contender, rule.seconds, rule.rounds(load)),
        party_of(contender),
        ports_of(contender),
    )


def _conclude(each: _Condition) -> None:
    """All stacks have stopped."""
    if each.record.engine is None:
        return
    try:
        each.proof.conclude()
    except Problem as problem:
        each.record.failure = Failure.of("service", problem)


def _measure(conditions: Sequence[_Condition]) -> list[int]:
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
        with each.ending_block():
            each.proof.begin()
        if each.context.condition.load.warmup_seconds > 0:
            each.warm_up = _engine(each, {"duration_seconds": LEAD_SECONDS}, draw=0).warm_up
    _look_at_idle(conditions)
    planned = rule.rounds(load)
    busy = [each.context.trial.index for each in conditions if not _may_be_kept(each, rule)]
    if not busy:
        _rounds(conditions, rule, planned)
        if needs_whole_windows(experiment) and sum(conditions[0].kept_rounds) >= LEAST_ROUNDS:
            _whole_windows(conditions, rule, planned)
    seconds = (time.monotonic() - began) / len(conditions)
    ids = [each.record.condition for each in conditions]
    for each in conditions:
        each.record.stage_seconds["load"] = round(seconds, 3)
        if not busy:
            with each.ending_block():
                each.proof.end()
        _put_together(each, planned, [name for name in ids if name != each.record.condition])
    return busy


def _rounds(conditions: Sequence[_Condition], rule: Slices, planned: int) -> None:
    first = conditions[0].context
    draw = random.Random(f"{first.plan.experiment.seed} {first.trial.block}")  # noqa: S311 (an order, not a secret)
    shares: list[Shares] = []
    while rule.goes_on(len(shares), sum(rule.selection(shares)[1]), planned):
        number = len(shares) + 1
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
        window = _slice(each, conditions, planned * rule.seconds, number, place, lead_seconds, None)
        return window.summary, window.meter

    for each, window in whole_windows(conditions, rule, first.rule, draw, measure):
        each.whole_window = window


def _slice(
    loaded: _Condition,
    conditions: Sequence[_Condition],
    seconds: float,
    number: int,
    place: int,
    least_lead_seconds: float = LEAD_SECONDS,
    least_kept_lead_seconds: float | None = KEPT_LEAD_SECONDS,
) -> _Measured:
    idle = [each for each in conditions if each is not loaded]
    beside = [each.deployment.roots for each in idle]
    parties = [each.party for each in idle]
    watch = SliceWatch(loaded.context.placement, loaded.party, parties, loaded.stray_threads)
    bystanders = BystanderWatch(loaded.ports, beside, seconds)

    def on_window(state: str) -> None:
        if state == "opened":
            watch.open()
            bystanders.open()
        elif state == "closed":
            watch.close()
            bystanders.close()

    phase_seconds = _phase_seconds(loaded, number)
    lead_seconds = _lead_seconds(loaded, max(least_lead_seconds, loaded.least_lead_seconds)) + phase_seconds
    kept_lead_seconds = None
    if least_kept_lead_seconds is not None:
        kept_lead_seconds = _lead_seconds(loaded, least_kept_lead_seconds) + phase_seconds
    lead = {"warmup_seconds": lead_seconds, "warmup_limit_seconds": lead_seconds}
    changes = {**lead, "duration_seconds": seconds}
    parts: list[WindowPart] = []
    summary = _engine(
        loaded,
        changes,
        draw=number,
        on_window=on_window,
        on_part=parts.append,
        kept_lead_seconds=kept_lead_seconds,
    )
    if any(each.deployment.status() is not None for each in conditions):
        raise _EndedEarly
    meter = watch.result(summary)
    for each, used in zip(idle, meter.idle, strict=True):
        each.was_idle(meter.server.window_seconds, used)
    for asking in [idle[at] for at in bystanders.connected]:
        asking.asked_slices += 1
        loaded.askers.add(asking.record.condition)
    return _Measured(number, place, summary, parts[0], meter)


def _lead_seconds(each: _Condition, least_seconds: float) -> float:
    """How long the load lasts before the window of a slice: as long as a request takes.

    All of a closed load's first requests come at once; those that are answered until then waited for fewer others than
    all later ones do.
    """
    return min(max(least_seconds, _request_seconds(each)), LONGEST_LEAD_SECONDS)


def _phase_seconds(each: _Condition, number: int) -> float:
    """How much later the window of its slice of this number opens: by a part of the time that a request takes.

    Clients that begin together stay in step where all requests take as long. Windows that always opened at the same
    moment would cut off the same share of a request, so that each count would be wrong by the same. From a random
    start, multiples of the golden ratio are spread evenly (H. Niederreiter, Random Number Generation and Quasi-Monte
    Carlo Methods, SIAM 1992, chapter 3): a systematic sample of the phases, without bias.
    """
    context = each.context
    start = random.Random(f"{context.plan.experiment.seed} {context.trial.block} {context.condition.label}")  # noqa: S311
    phase = (start.random() + number * GOLDEN_RATIO) % 1
    return phase * min(_request_seconds(each), LONGEST_LEAD_SECONDS)


def _request_seconds(each: _Condition) -> float:
    """How long a request of a closed load takes on average, as far as the last run tells; else 0."""
    load, runs = each.context.condition.load, each.context.engine_runs
    if load.is_open or not runs or not runs[-1].answers:
        return 0.0
    return load.most_in_flight * runs[-1].window_seconds / runs[-1].answers


def _engine(
    each: _Condition,
    changes: Mapping[str, float],
    *,
    draw: int,
    on_window: WindowHandler = lambda _state: None,
    on_part: PartHandler | None = None,
    kept_lead_seconds: float | None = None,
) -> EngineSummary:
    """One run of the engine under the condition's load with these changes.

    What goes wrong in it ends the block, and is in the condition's record.
    """
    moment = each.context.condition.load.single_run().model_copy(update=dict(changes))
    overflows = listen_overflows()
    with each.ending_block():
        summary = each.proof.run(moment, draw, on_window, on_part, kept_lead_seconds)
    if listen_overflows() > overflows:
        each.least_lead_seconds = BACKLOG_LEAD_SECONDS
    return summary


def _look_at_idle(conditions: Sequence[_Condition]) -> None:
    before = [each.party.cpu_seconds() for each in conditions]
    began = time.monotonic()
    time.sleep(IDLE_SECONDS)
    for each, used in zip(conditions, before, strict=True):
        since = each.party.cpu_seconds() - used
        each.was_idle(time.monotonic() - began, since)


def _may_be_kept(each: _Condition, rule: Slices) -> bool:
    """Whether any round could be quiet while this server is idle: what it uses then is foreign load to the others."""
    used = each.idle.server / each.idle_seconds / len(each.context.placement.server_cpus)
    return rule.is_quiet(used, 0.0)


def _put_together(each: _Condition, planned: int, beside: list[str]) -> None:
    """Fill the trial's record from the slices that were kept, if there are enough of them.

    Args:
        beside: the conditions that were up with it.
    """
    record = each.record
    record.slices = Slicing(
        planned_rounds=planned,
        rule=each.rule,
        slices=[
            measurement.recorded(is_kept=is_kept)
            for measurement, is_kept in zip(each.measured, each.kept_rounds, strict=True)
        ],
        idle_seconds=each.idle_seconds,
        idle_cpu_seconds=each.idle.server,
        idle_service_cpu_seconds=each.idle.services,
        beside=beside,
        undrained=sum(run.undrained for run in each.context.engine_runs),
        asked_slices=each.asked_slices,
        askers=sorted(each.askers),
        tails_of_slices=False,
        whole_window=each.whole_window,
    )
    used = [measurement for measurement, is_kept in zip(each.measured, each.kept_rounds, strict=True) if is_kept]
    if len(used) < LEAST_ROUNDS:
        return
    summary = in_turn([measurement.part for measurement in used])
    spot_checks = [spot_check for run in each.context.engine_runs for spot_check in run.spot_checks]
    update = {"warm_up": each.warm_up, "spot_checks": spot_checks, "sightings": None}
    record.engine = summary.model_copy(update=update)
    record.server = server_in_turn([measurement.meter.server for measurement in used])
    databases = [measurement.meter.database for measurement in used if measurement.meter.database is not None]
    record.service = server_in_turn(databases) if databases else None
    record.stray_threads = each.stray_threads.result()
    record.machine = machine_in_turn([measurement.meter.machine for measurement in used])
    record.network = network_in_turn([measurement.meter.network for measurement in used])
