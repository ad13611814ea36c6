"""One condition in the extra block: started like a trial, loaded once without a profiler and once under one; and
started again, with a proxy before its database, for short loads whose requests' time is taken apart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Counters
from fairtrial.catalog.stacks.environment import variables_of_user
from fairtrial.lab.placement import bound_to
from fairtrial.lab.profile.allocations.go_log import CollectionsInLog, go_settings, is_go
from fairtrial.lab.profile.processes import busiest, cpu_seconds_by_process
from fairtrial.lab.profile.recordings import Recordings, Sampled
from fairtrial.lab.profile.short_loads import LOADS, WARMUP_SECONDS, TreeWatches, short_loads
from fairtrial.lab.profile.short_loads import SECONDS as SHORT_SECONDS
from fairtrial.lab.profile.system_calls import NAMES_SECONDS, count_hardware, count_system_calls
from fairtrial.lab.profile.system_calls import SECONDS as COUNTED_SECONDS
from fairtrial.lab.trial.audit import ledger_of_runs
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.flow import (
    Workbench,
    file_name,
    keep_log,
    new_record,
    note_alterations,
    restore,
    started_again,
)
from fairtrial.lab.trial.free_ports import takes_ports, wait_for_ports
from fairtrial.lab.trial.offered_load import StackEnded, run_once
from fairtrial.lab.trial.up import NotUp, UpContender, up
from fairtrial.load.request_load import OneRunLoad
from fairtrial.plan.plan import OVERHEAD_SECONDS, PlannedTrial
from fairtrial.record.folded_stacks import write_folded
from fairtrial.record.model import Failure, TrialRecord
from fairtrial.record.profile import (
    STACKS_FOLDER,
    Allocations,
    HardwareEvents,
    KernelCounters,
    Profile,
    SampledStacks,
    ShortLoad,
    SystemCalls,
)

PROFILED_SECONDS = (3.0, 10.0)
"""How long profilers look at least and at most, whatever the load lasts: 600 samples of one processor at 199 Hz tell
shares of 10% to within 2.5 points (binomial, 95%)."""
SECOND_WARMUP_SECONDS = 0.5
"""The stack is warm when profilers begin; its connections are new."""


@dataclass
class _Observations:
    """The observations of a condition so far."""

    server: KernelCounters | None = None
    service: KernelCounters | None = None
    alone: list[ShortLoad] = field(default_factory=list)
    loaded: list[ShortLoad] = field(default_factory=list)
    sampled: dict[str, Sampled] = field(default_factory=dict)
    is_go: bool = False
    """whether it can be started once more so that it prints its collections"""
    allocations: Allocations | None = None
    hardware: HardwareEvents | None = None
    system_calls: SystemCalls | None = None


def profile_condition(trial: PlannedTrial, workbench: Workbench, earlier: Sequence[TrialRecord] = ()) -> Profile:
    """Start the stack, count what it costs under load, look at it with profilers, stop it.

    What goes wrong is in the profile. KeyboardInterrupt stops all and is raised again.

    Args:
        trial: one that is in no block of the plan.
        earlier: the trials of the run: a search for a capacity has found a rate in them.
    """
    observations, record, results = _Observations(), new_record(trial), workbench.results
    build = workbench.stacks[trial.condition.build_name, trial.build].folder
    load = profiled_load(trial, earlier)
    with (
        TemporaryDirectory(prefix="fairtrial-profile-") as folder,
        Recordings(Path(folder), build or Path(folder)) as recordings,
    ):
        try:
            plain = workbench.context(trial, record)
            context = _with_variables(plain, recordings.settings)
        except NotUp as error:
            record.failure = error.failure
        else:
            try:
                with bound_to(context.lab_cpus):
                    _run(context, load, observations, recordings, Path(folder))
                    if record.failure is None and observations.server is not None and record.engine is not None:
                        seconds = record.engine.response_time.mean_seconds or 0.0
                        with started_again(plain, "parts", results) as again:
                            parted = replace(again, times_round_trips=True)
                            _take_apart(parted, load, seconds, observations, recordings)
                    if record.failure is None and observations.is_go:
                        with started_again(_with_variables(plain, go_settings), "collections", results) as again:
                            _count_by_collections(again, load, observations, recordings)
                note_alterations(context)
                restore(context)
            except Problem as problem:
                record.failure = record.failure or Failure.of("service", problem)
            keep_log(context, results)
    stacks = _write_stacks(observations.sampled, trial, results, recordings)
    return Profile(
        condition=trial.condition.recorded.id,
        contender=trial.condition.label,
        started_at=record.started_at,
        load=load.describe(),
        verified=0 if record.engine is None else record.engine.verified,
        errors=0 if record.engine is None else sum(record.engine.errors.values()),
        server=observations.server,
        service=observations.service,
        alone=observations.alone,
        loaded=observations.loaded,
        ledger=record.ledger,
        stacks=stacks,
        notes=recordings.notes,
        failure=record.failure,
        log=record.log,
        system_calls=observations.system_calls,
        hardware=observations.hardware,
        allocations=observations.allocations,
    )


def profiled_load(trial: PlannedTrial, earlier: Sequence[TrialRecord]) -> OneRunLoad:
    """The load of the condition; of a search for the capacity, the last rate that was found, or the lowest."""
    load = trial.condition.load
    rates = [
        capacity.rate_per_second
        for record in earlier
        if record.condition == trial.condition.recorded.id and record.capacity is not None
        for capacity in record.capacity.found
        if capacity.rate_per_second is not None
    ]
    return load.single_run(rates[-1] if rates else None)


def planned_profile_seconds(load: OneRunLoad) -> float:
    """How long one condition takes, as far as the plan tells: the load as in a trial, once more under profilers, its
    system calls, and the short loads of a second start."""
    profiled_seconds, _ = _as_profiled(load)
    under_profilers = SECOND_WARMUP_SECONDS + profiled_seconds + NAMES_SECONDS + COUNTED_SECONDS
    parts = 2 * LOADS * (WARMUP_SECONDS + SHORT_SECONDS)
    return load.planned_seconds + under_profilers + parts + 2 * OVERHEAD_SECONDS


def _with_variables(context: TrialContext, settings: Callable[[Mapping[str, str]], Mapping[str, str]]) -> TrialContext:
    """The trial, with a stack that is started with these variables as well, where the lab starts it in the open.

    Args:
        settings: makes them of those that it would have.

    In a container, the files of the lab are not there.
    """
    condition = context.condition
    if not condition.stack.origin.is_started_here:
        return context
    before = {**variables_of_user(condition.stack.origin.env_from), **context.stack_settings()}
    variant = condition.variant.model_copy(update={"env": {**condition.variant.env, **settings(before)}})
    # Profilers have it write into folders of the lab.
    return replace(
        context,
        trial=replace(context.trial, condition=replace(condition, variant=variant)),
        why_labs_user="it is profiled",
    )


def _run(
    context: TrialContext, load: OneRunLoad, observations: _Observations, recordings: Recordings, folder: Path
) -> None:
    """The stack up, all loads, the stack down.

    Raises:
        Problem: the database, the balancer, a proxy or the upstream failed.
    """
    if takes_ports(load):
        wait_for_ports()
    record, service = context.record, context.service
    before: Counters = {}
    try:
        with up(context) as contender:
            try:
                _set_up(contender)
                before = service.counters()
                pids = _count(contender, load, observations, recordings)
                verified = _profile(contender, load, recordings, pids)
                observations.sampled = recordings.gather()
                observations.allocations = allocations_of(recordings.allocated, pids, verified)
                is_started_here = context.condition.stack.origin.is_started_here
                observations.is_go = is_started_here and len(pids) == 1 and is_go(pids[0])
                if pids:
                    observations.hardware = count_hardware(contender, load, folder)
                    observations.system_calls = count_system_calls(contender, load, folder, recordings.note)
            except StackEnded:
                reason = f"it ended with status {contender.deployment.status()} while it was profiled"
                record.failure = Failure(stage="load", reason=reason, remedy=f"see its log: {context.log}")
            except Problem as problem:
                record.failure = Failure.of("load", problem)
    except NotUp as error:
        record.failure = error.failure
        return
    if service.fault() is None:
        after = {**service.counters(), **contender.calls()}
        record.ledger = ledger_of_runs(before, after, context.engine_runs)


def _take_apart(
    context: TrialContext,
    load: OneRunLoad,
    response_seconds: float,
    observations: _Observations,
    recordings: Recordings,
) -> None:
    """The stack up once more, as in a trial but for a proxy before its database; what fails becomes a note."""
    with _up_again(context, load, recordings, "the time of its requests was taken apart") as contender:
        observations.alone, observations.loaded = short_loads(contender, load, response_seconds)


def _count_by_collections(
    context: TrialContext, load: OneRunLoad, observations: _Observations, recordings: Recordings
) -> None:
    """A Go program up once more, which prints what it allocates; what fails becomes a note."""
    collections = CollectionsInLog(context.log)

    def on_window(state: str) -> None:
        if state == "opened":
            collections.open()
        elif state == "closed":
            collections.close()

    with _up_again(context, load, recordings, "its allocations were counted") as contender:
        _, short = _as_profiled(load)
        summary = run_once(context, contender.deployment, short, on_window, draw=1)
        if allocated := collections.allocated():
            verified = round(summary.goodput_per_second * allocated.seconds)
            if verified:
                observations.allocations = Allocations(
                    verified=verified, bytes=allocated.most_bytes, least_bytes=allocated.least_bytes
                )


@contextmanager
def _up_again(context: TrialContext, load: OneRunLoad, recordings: Recordings, what: str) -> Iterator[UpContender]:
    """The stack up, and its setup sent; what fails inside becomes a note: it ended while WHAT."""
    if takes_ports(load):
        wait_for_ports()
    try:
        with up(context) as contender:
            _set_up(contender)
            yield contender
    except StackEnded:
        recordings.note(Problem(f"it ended while {what}", f"see its log: {context.log}"))
    except Problem as problem:
        hidden = context.redaction.hidden
        recordings.note(Problem(hidden(problem.reason), hidden(problem.remedy)))


def allocations_of(by_process: Mapping[int, tuple[str, int]], pids: Sequence[int], verified: int) -> Allocations | None:
    """The sum of all processes that told; None where one that does work did not, or they count different things."""
    if not verified or not pids or not set(pids) <= by_process.keys():
        return None
    units = {unit for unit, _ in by_process.values()}
    counts = {unit: sum(number for _, number in by_process.values()) for unit in units}
    return Allocations.model_validate({"verified": verified, **counts}) if len(units) == 1 else None


def _set_up(contender: UpContender) -> None:
    """Send the setup requests. Raises Problem: their answers are not as expected."""
    if broken := [clause for clause in contender.set_up() if not clause.passed]:
        raise Problem(broken[0].evidence, broken[0].remedy or "see what the trials say of it")


def _count(contender: UpContender, load: OneRunLoad, observations: _Observations, recordings: Recordings) -> list[int]:
    """The load as in a trial, with the kernel's counters beside it and no profiler.

    Returns the ids of the processes that did the work.
    """
    context, deployment = contender.context, contender.deployment
    roots = deployment.roots
    if not roots:
        recordings.note(Problem(f"its processes are not known: {deployment.not_measured}", "let the lab start it"))
    watches = TreeWatches(contender)
    used: list[dict[int, float]] = []

    def on_window(state: str) -> None:
        if state == "opened":
            used.append(cpu_seconds_by_process(roots))
            watches.open()
        elif state == "closed":
            observations.server, observations.service = watches.close()
            used.append(cpu_seconds_by_process(roots))

    context.record.engine = run_once(context, deployment, load, on_window=on_window)
    return busiest(used[0], used[-1]) if used else []


def _profile(contender: UpContender, load: OneRunLoad, recordings: Recordings, pids: list[int]) -> int:
    """The load once more, under profilers, which begin before it: some take a second to do so.

    Returns the number of answers that were verified.
    """
    if not pids:
        return 0
    profiled_seconds, load = _as_profiled(load)
    recordings.begin(pids, SECOND_WARMUP_SECONDS + profiled_seconds)
    summary = run_once(contender.context, contender.deployment, load, draw=1)
    recordings.end()
    return summary.run_verified or 0


def _as_profiled(load: OneRunLoad) -> tuple[float, OneRunLoad]:
    """How long profilers look at a load, and the load that lasts so long."""
    least, most = PROFILED_SECONDS
    profiled_seconds = least
    if load.window_seconds is not None:
        profiled_seconds = min(max(load.window_seconds, least), most)
        load = load.lasting(profiled_seconds)
    warmups = {"warmup_seconds": SECOND_WARMUP_SECONDS, "warmup_limit_seconds": SECOND_WARMUP_SECONDS}
    return profiled_seconds, load.model_copy(update=warmups)


def _write_stacks(
    samples: Mapping[str, Sampled], trial: PlannedTrial, results: Path, recordings: Recordings
) -> list[SampledStacks]:
    """Write the stacks of calls, and name the files; what cannot be written becomes a note."""
    stacks = []
    for profiler, sampled in samples.items():
        name = f"{STACKS_FOLDER}/{trial.index:03d}-{file_name(trial.condition.label)}.{profiler}.folded"
        try:
            (results / STACKS_FOLDER).mkdir(exist_ok=True)
            write_folded(results / name, sampled.stacks)
        except OSError as error:
            recordings.note(Problem(f"{results / name}: cannot be written: {error.strerror}", "free space there"))
            continue
        stacks.append(
            SampledStacks(profiler=profiler, samples=sampled.stacks.total(), processes=sampled.processes, file=name)
        )
    return stacks
