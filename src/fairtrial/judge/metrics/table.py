"""Every metric, and those of which there is one for each percentile or each objective of a search."""

from collections.abc import Callable, Mapping

from fairtrial.base.units import BaseUnit
from fairtrial.judge.metrics import readings
from fairtrial.judge.metrics.metric import OF_EVENTS, TIMES, Metric, times_of
from fairtrial.load.capacity import METRIC_PERCENTILES
from fairtrial.record.engine_summary import EngineSummary, JourneyAccount, Share
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import MemoryKind

START_UP_STEP_SECONDS = 0.02
"""A stack is asked so often whether it is ready (docs/stack-contract.md)."""
TAIL = 90.0
"""The lowest percentile of the tail, and the first beyond the median and its neighbours that every record holds. In
slices, where connections are set up every half second and caches are those of others, the slow few are not those of a
whole window."""
CAPACITY = "capacity"
OVERHEAD = "overhead"
SEARCHES = frozenset({"capacity"})
SERVED = frozenset({"closed", "fixed", "open", "ramp", "steps", "capacity"})
"""All loads but that of a program, which is never ready and has no memory at its end."""
WHOEVER_IS_SERVED = frozenset({"uneven-connections"})
"""Which connections the answers came to is a matter of their times: counts and processor time stand."""


def percentile_of(kind: str, percentile: str) -> Metric:
    """The metric `KIND_pX`, for a `kind` of `TIMES`."""

    def seconds(measured: EngineSummary | Share | JourneyAccount) -> float | None:
        times = times_of(measured, kind)
        return None if times is None else readings.supported_percentile(times, percentile)

    of_tail = float(percentile) >= TAIL

    def read(trial: TrialRecord) -> float | None:
        engine = trial.tail_engine if of_tail else trial.engine
        return None if engine is None else seconds(engine)

    def read_share(_engine: EngineSummary, share: Share) -> float | None:
        return seconds(share)

    def read_journey(journey: JourneyAccount, _window_seconds: float) -> float | None:
        return seconds(journey)

    name = f"{kind}_p{percentile}"
    return Metric(
        name,
        "seconds",
        name.replace("_", " "),
        read,
        read_share=read_share if kind in Share.model_fields else None,
        read_journey=read_journey if kind in JourneyAccount.model_fields else None,
        of_tail=of_tail,
        meaning=TIMES[kind],
    )


def _of_streams(name: str, unit: BaseUnit, label: str, meaning: str, *, of_tail: bool = False) -> Metric:
    """A figure of streams of events; None where no answer was one."""

    def read(trial: TrialRecord) -> float | None:
        engine = trial.tail_engine if of_tail else trial.engine
        streams = None if engine is None else engine.event_streams
        return None if streams is None else readings.STREAMS[name](streams)

    return Metric(name, unit, label, read, of_tail=of_tail, meaning=meaning)


def _of_journeys(name: str, unit: BaseUnit, label: str, meaning: str, despite: frozenset[str]) -> Metric:
    """A figure of the only kind of journey, or of the one that is named; None where there is none."""
    read_journey = readings.JOURNEYS[name]

    def read(trial: TrialRecord) -> float | None:
        journey = None if trial.engine is None else trial.engine.journey()
        return None if trial.engine is None or journey is None else read_journey(journey, trial.engine.window_seconds)

    return Metric(name, unit, label, read, despite=despite, read_journey=read_journey, meaning=meaning)


def capacity_for(objective: str) -> Metric:
    """The metric `capacity:OBJECTIVE`."""

    def read(trial: TrialRecord) -> float | None:
        capacities = trial.capacity.found if trial.capacity is not None else ()
        return next((each.rate_per_second for each in capacities if each.objective == objective), None)

    name = f"{CAPACITY}:{objective}"
    return Metric(
        name,
        "per_second",
        f"capacity for {objective}",
        read,
        SEARCHES,
        meaning="the rate that a search found for this objective",
    )


def _of_a_server(
    name: str,
    unit: BaseUnit,
    label: str,
    part: str,
    key: str,
    *,
    meaning: str,
    of_processes: bool = True,
    kind: bool = False,
    read_resolution: Callable[[TrialRecord], float] | None = None,
) -> Metric:
    """A figure that one part of the record of a server's trial holds; None where either was not measured."""

    def read(trial: TrialRecord) -> float | None:
        value = getattr(getattr(trial, part), key, None)
        return None if value is None else float(value)

    read_kind = _memory_kind(part) if kind else None
    return Metric(
        name,
        unit,
        label,
        read,
        SERVED,
        of_processes=of_processes,
        read_kind=read_kind,
        read_resolution=read_resolution,
        meaning=meaning,
    )


def _memory_kind(part: str) -> Callable[[TrialRecord], str | None]:
    """How the memory in one part of a trial's record was read; None where it was not."""

    def read_kind(trial: TrialRecord) -> str | None:
        kind: MemoryKind | None = getattr(getattr(trial, part), "memory_kind", None)
        return None if kind is None else str(kind)

    return read_kind


def _idle_memory_kind(trial: TrialRecord) -> str | None:
    idle = trial.idle_connections
    return None if idle is None or idle.memory is None else str(idle.memory.kind)


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "goodput",
            "per_second",
            "goodput",
            readings.goodput,
            despite=WHOEVER_IS_SERVED,
            read_share=readings.goodput_of_request,
            meaning="verified answers; of a program, operations from its start to its end",
        ),
        *(
            percentile_of(kind, percentile)
            for kind in ("response_time", "service_time")
            for percentile in METRIC_PERCENTILES
        ),
        Metric(
            "response_time_max",
            "seconds",
            "longest response time",
            readings.response_time_max,
            read_share=readings.response_time_max_of_request,
            of_tail=True,
            meaning="the longest response time",
        ),
        Metric(
            "server_cpu_per_1000_requests",
            "seconds",
            "server CPU time per 1,000 requests",
            readings.server_cpu_seconds_per_1000_requests,
            despite=WHOEVER_IS_SERVED,
            of_processes=True,
            read_resolution=readings.cpu_resolution,
            meaning="processor time of the stack's whole process tree for 1,000 verified answers, or operations of a "
            "program: 1000 × (CPU seconds / metered seconds) / goodput",
        ),
        Metric(
            "service_cpu_per_1000_requests",
            "seconds",
            "database CPU time per 1,000 requests",
            readings.service_cpu_seconds_per_1000_requests,
            despite=WHOEVER_IS_SERVED,
            read_resolution=readings.cpu_resolution,
            meaning="the same of the processes of its database",
        ),
        Metric(
            "peak_rss",
            "bytes",
            "peak memory",
            readings.peak_rss,
            of_processes=True,
            read_kind=_memory_kind("server"),
            meaning="the most memory that the stack's process tree held in the window, "
            "[shared pages counted once](statistics.md#figures)",
        ),
        Metric(
            "peak_virtual",
            "bytes",
            "peak address space",
            readings.peak_virtual,
            of_processes=True,
            meaning="of a program: the largest address space of any of its processes (VmPeak), whether or not anything "
            "was ever written there",
        ),
        _of_a_server(
            "ready_rss",
            "bytes",
            "memory when ready",
            "readiness",
            "rss_bytes",
            kind=True,
            meaning="the same when it was ready: before its contract is tried, and before any load",
        ),
        _of_a_server(
            "end_rss",
            "bytes",
            "memory at the end of the window",
            "server",
            "end_rss_bytes",
            kind=True,
            meaning="the same when the window closed",
        ),
        Metric(
            "idle_connection_rss",
            "bytes",
            "memory of an idle connection",
            readings.idle_connection_rss,
            of_processes=True,
            read_kind=_idle_memory_kind,
            read_resolution=readings.idle_connection_resolution,
            meaning="the same a second after `idle_connections` are open, less that before, over their number; "
            "in steps of allocators, without the kernel's part",
        ),
        _of_a_server(
            "start_up",
            "seconds",
            "start-up time",
            "readiness",
            "start_up_seconds",
            read_resolution=lambda _trial: START_UP_STEP_SECONDS,
            meaning="from the start of the stack's process until it was ready, which is asked every 20 ms: up to so "
            "much longer than it took. Of several instances the longest. What the lab starts besides is not in it",
        ),
        _of_a_server(
            "first_answer",
            "seconds",
            "time of the first answer",
            "readiness",
            "first_answer_seconds",
            of_processes=False,
            meaning="how long the first request of the workload took after that, with its connection: the first of "
            "the contract that the workload asks for, before any load, after a few for the contract of every stack. "
            "Of a workload file it is the first request of the file, without its setup. Only if the clause that it "
            "belongs to holds",
        ),
        Metric(
            "errors",
            "share",
            "share of requests without a right answer",
            readings.error_share,
            despite=WHOEVER_IS_SERVED | {"errors", "unanswered", "too-few-answers"},
            read_share=readings.error_share_of_request,
            read_count=readings.error_count,
            meaning="the part of the ended requests that had no right answer",
        ),
        Metric(
            "settle",
            "seconds",
            "time until the database is at rest",
            readings.settle_seconds,
            despite=frozenset({"work-after-the-run", "not-stationary", "ledger"}),  # what never came: writes-stored
            meaning="from the last answer until the database is at rest, its processes using at most 5% of a "
            "processor for half a second; workloads that write",
        ),
        Metric(
            "elapsed",
            "seconds",
            "elapsed time",
            readings.elapsed_seconds,
            frozenset({"fixed", "program"}),
            meaning="from the first request to the last; of a program, from its start to its end",
        ),
        Metric(
            CAPACITY,
            "per_second",
            "capacity",
            readings.capacity,
            SEARCHES,
            meaning="the rate that a search found for its first objective; with `:OBJECTIVE`, for the named one",
        ),
        Metric(
            "packed_answer",
            "bytes",
            "size of a compressed answer",
            readings.packed_answer,
            meaning="of a compressed answer, as it came",
        ),
        Metric(
            "unpacked_answer",
            "bytes",
            "size of a compressed answer, unpacked",
            readings.unpacked_answer,
            meaning="the same, unpacked",
        ),
        *(percentile_of(kind, percentile) for kind in OF_EVENTS for percentile in ("50", "99")),
        _of_streams("event_gap_max", "seconds", "longest event gap", "the longest of these", of_tail=True),
        _of_streams("events", "per_second", "events", "events of streams that came in the window"),
        _of_streams("tokens", "per_second", "tokens", "tokens, by what right answers say of themselves"),
        _of_streams(
            "stalled_streams",
            "share",
            "share of streams that stalled",
            "the part of the streams with a gap above `stall`",
        ),
        _of_streams(
            "broken_streams",
            "share",
            "share of streams that broke off",
            "the part of the streams that ended before their last event",
        ),
        _of_journeys(
            "journeys",
            "per_second",
            "completed journeys",
            "users whose every step was answered right; of an open load, of those that arrived in the window",
            WHOEVER_IS_SERVED,
        ),
        _of_journeys(
            "broken_journeys",
            "share",
            "share of journeys that broke off",
            "the part of the ended journeys in which a step failed",
            WHOEVER_IS_SERVED | {"errors", "unanswered", "too-few-answers"},
        ),
        *(percentile_of(kind, percentile) for kind in ("journey_time", "copy_time") for percentile in ("50", "99")),
        Metric(
            OVERHEAD,
            "seconds",
            "time a request in excess of the baseline",
            readings.overhead_needs_its_baseline,
            meaning="a request's time in excess of the `baseline`'s in the same block: 1/goodput minus 1/goodput of "
            "the baseline. Below zero, it is [refused](#a-baseline-that-deserves-the-name)",
        ),
    )
}
"""Every metric by its name."""
