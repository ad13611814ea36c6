"""The metrics that claims are about and that the table of conditions shows.

Names follow one rule. A figure's key holds its unit (`goodput_per_second`, `server_cpu_seconds_per_1000_requests`);
without the unit it is the metric's name, as claims write it (`goodput`, `server_cpu_per_1000_requests`).
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from fairtrial.base.units import BaseUnit
from fairtrial.judge.statistics.support import supports_percentile
from fairtrial.load.capacity import METRIC_PERCENTILES
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import Distribution, EngineSummary, Share
from fairtrial.record.histogram import read_histogram
from fairtrial.record.model import ServerMeter, TrialRecord
from fairtrial.record.processes import MemoryKind


@dataclass(frozen=True)
class Metric:
    """One figure of a trial. `read` returns it in `unit`, or None if it was not measured or its sample is too small."""

    name: str
    key: str
    unit: BaseUnit
    label: str
    higher_is_better: bool
    read: Callable[[TrialRecord], float | None]
    loads: frozenset[str] | None = None
    """kinds of load under which it is measured; None: all"""
    despite: frozenset[str] = frozenset()
    """names of checks whose refusal leaves this figure standing, because they look at just this"""
    read_share: Callable[[EngineSummary, Share], float | None] | None = None
    """how it is read of one request of the mix; None: it is only measured of all requests together"""
    request: str | None = None
    """the request of the mix that it is of; None: of all"""
    read_count: Callable[[TrialRecord], tuple[int, int] | None] | None = None
    """of a share that is a count: how many, and of how many requests; None: it is no count"""
    of_processes: bool = False
    """whether it is of the stack's own processes"""
    read_kind: Callable[[TrialRecord], str | None] | None = None
    """how a trial's figure was read, where figures that were read otherwise cannot be compared with it; None: all are
    alike"""

    read_resolution: Callable[[TrialRecord], float] | None = None
    """of a trial's figure, the step in which it was read, in `unit`; None: none that matters beside its scatter"""
    meaning: str = field(kw_only=True)
    """what it measures, in Markdown, for docs/claims.md"""

    def fits(self, load: Load) -> bool:
        """Whether it is measured under this load."""
        return self.loads is None or load.kind in self.loads

    @property
    def is_bent_by_others(self) -> bool:
        """Whether what others do on the server's processors changes it: rates, and times of answers."""
        return self.unit in ("per_second", "seconds") and not self.of_processes

    @property
    def preposition(self) -> str:
        """The preposition between its label and a condition: goodput of a; goodput of `short` on a."""
        return "of" if self.request is None else "on"

    def of_request(self, request: str) -> "Metric":
        """The same metric of one request of the mix.

        Raises:
            ValueError: it is only measured of all requests together; the message names those that are.
        """
        read_share = self.read_share
        if read_share is None:
            by_request = ", ".join(metric.name for metric in METRICS.values() if metric.read_share is not None)
            raise ValueError(
                f"{self.name} is not measured by request: leave `request` out, or choose one of {by_request}"
            )

        def read(trial: TrialRecord) -> float | None:
            share = None if trial.engine is None else trial.engine.share_of(request)
            return None if trial.engine is None or share is None else read_share(trial.engine, share)

        def read_count(trial: TrialRecord) -> tuple[int, int] | None:
            share = None if trial.engine is None else trial.engine.share_of(request)
            return None if share is None else _error_count_of(share)

        return replace(
            self,
            label=f"{self.label} of `{request}`",
            read=read,
            read_count=None if self.read_count is None else read_count,
            request=request,
        )


def supported_percentile(times: Distribution, percentile: str) -> float | None:
    """Seconds at `percentile` ("50", "99.9"); None if the sample does not support it.

    Percentiles that the engine reports are taken from the record; any other is read from the histogram, to three
    significant digits.
    """
    if not supports_percentile(times.count, float(percentile)):
        return None
    if percentile in times.percentiles:
        return times.percentiles[percentile]
    if not times.hdr_base64:
        return None
    return read_histogram(times.hdr_base64).at(float(percentile), times.bounds_from_seconds)


def server_cpu_seconds_per_1000_requests(trial: TrialRecord) -> float | None:
    """Processor time of the stack's process tree for 1,000 verified answers, or for 1,000 operations of a program.

    Processor time and answers are each divided by their own window: the two windows differ by the moment that it takes
    to read the meters. What a program's job took is known as a whole, and is divided by its operations.
    """
    return _per_1000_requests(trial, trial.server)


def _service_cpu_seconds_per_1000_requests(trial: TrialRecord) -> float | None:
    return _per_1000_requests(trial, trial.service)


def _per_1000_requests(trial: TrialRecord, meter: ServerMeter | None) -> float | None:
    rate = _goodput(trial)
    if not rate or meter is None or meter.window_seconds <= 0:
        return None
    if trial.program is not None:
        return 1000 * meter.cpu_seconds / trial.program.operations
    return 1000 * meter.cpu_seconds / meter.window_seconds / rate


def _cpu_resolution(trial: TrialRecord) -> float:
    """User and system time are each read in whole ticks (proc_pid_stat(5)): both ends together may be off by a tick of
    each."""
    if trial.program is not None:
        return 1000 * CPU_STEP_SECONDS / trial.program.operations
    verified = 0 if trial.engine is None else trial.engine.verified
    return 1000 * CPU_STEP_SECONDS / verified if verified else 0.0


def _goodput(trial: TrialRecord) -> float | None:
    if trial.program is not None:
        return trial.program.operations_per_second
    return trial.engine.goodput_per_second if trial.engine is not None and trial.engine.verified > 0 else None


def _goodput_of_request(engine: EngineSummary, share: Share) -> float | None:
    return share.verified / engine.window_seconds if share.verified > 0 else None


def percentile_of(kind: str, percentile: str) -> Metric:
    """The metric `response_time_pX`, `service_time_pX` or `first_byte_time_pX`; `kind` is what stands before `_pX`."""

    def seconds(measured: EngineSummary | Share) -> float | None:
        times = times_of(measured, kind)
        return None if times is None else supported_percentile(times, percentile)

    def read(trial: TrialRecord) -> float | None:
        return None if trial.engine is None else seconds(trial.engine)

    def read_share(_engine: EngineSummary, share: Share) -> float | None:
        return seconds(share)

    name = f"{kind}_p{percentile}"
    return Metric(
        name,
        f"{name}_seconds",
        "seconds",
        name.replace("_", " "),
        False,
        read,
        read_share=read_share,
        meaning=TIMES[kind],
    )


def times_of(measured: EngineSummary | Share, kind: str) -> Distribution | None:
    """Times of one of `TIMES`, of all requests or of one; None if they were not kept."""
    times: Distribution | None = getattr(measured, kind)
    return times


def times_behind(metric: Metric, trial: TrialRecord, kind: str) -> Distribution | None:
    """The times of a trial, of one of `TIMES`, from which a metric is read: of all requests, or of its own."""
    if trial.engine is None:
        return None
    measured = trial.engine if metric.request is None else trial.engine.share_of(metric.request)
    return None if measured is None else times_of(measured, kind)


def is_lower_bound(metric: Metric, trial: TrialRecord, value: float) -> bool:
    """Whether `value`, which `metric` read from this trial, is a time that falls among requests without an end."""
    kind = next((kind for kind in TIMES if metric.name.startswith(f"{kind}_")), None)
    times = None if kind is None else times_behind(metric, trial, kind)
    return times is not None and times.is_lower_bound(value)


def _response_time_max(trial: TrialRecord) -> float | None:
    return None if trial.engine is None else trial.engine.response_time.max_seconds


def _response_time_max_of_request(_engine: EngineSummary, share: Share) -> float | None:
    return None if share.response_time is None else share.response_time.max_seconds


def _peak_rss(trial: TrialRecord) -> float | None:
    # 0 means that a program ended before its memory was read: there is no figure.
    return float(trial.server.peak_rss_bytes) if trial.server is not None and trial.server.peak_rss_bytes else None


def _memory_kind(part: str) -> Callable[[TrialRecord], str | None]:
    """How the memory in one part of a trial's record was read; None where it was not."""

    def read_kind(trial: TrialRecord) -> str | None:
        kind: MemoryKind | None = getattr(getattr(trial, part), "memory_kind", None)
        return None if kind is None else str(kind)

    return read_kind


def kinds_of(metric: Metric, trials: Iterable[TrialRecord]) -> set[str]:
    """In how many ways a metric was read in those of these trials that have it; empty: it is read in one way alone."""
    read_kind = metric.read_kind
    if read_kind is None:
        return set()
    return {kind for trial in trials if metric.read(trial) is not None and (kind := read_kind(trial)) is not None}


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
) -> Metric:
    """A figure that one part of the record of a server's trial holds; None where either was not measured."""

    def read(trial: TrialRecord) -> float | None:
        value = getattr(getattr(trial, part), key, None)
        return None if value is None else float(value)

    read_kind = _memory_kind(part) if kind else None
    return Metric(
        name,
        f"{name}_{unit}",
        unit,
        label,
        False,
        read,
        SERVED,
        of_processes=of_processes,
        read_kind=read_kind,
        meaning=meaning,
    )


def _error_share(trial: TrialRecord) -> float | None:
    return None if trial.engine is None else trial.engine.error_share


def _error_count(trial: TrialRecord) -> tuple[int, int] | None:
    engine = trial.engine
    return None if engine is None else (engine.ended - engine.verified, engine.ended)


def _error_share_of_request(engine: EngineSummary, share: Share) -> float | None:
    counted = None if has_overflowed(engine) else _error_count_of(share)
    return None if counted is None or counted[1] == 0 else counted[0] / counted[1]


def _error_count_of(share: Share) -> tuple[int, int] | None:
    if share.failures is None:
        return None
    ended = share.answers + share.failures
    return ended - share.verified, ended


def has_overflowed(engine: EngineSummary) -> bool:
    """Whether there were arrivals that never became a request of the mix, so that no error share of one is right."""
    return len(engine.mix) > 1 and engine.errors.get("overflow", 0) > 0


def _settle_seconds(trial: TrialRecord) -> float | None:
    return None if trial.settle is None or not trial.settle.at_rest else trial.settle.seconds


def _elapsed_seconds(trial: TrialRecord) -> float | None:
    if trial.program is not None:
        return trial.program.seconds
    return None if trial.engine is None else trial.engine.window_seconds


def _capacity(trial: TrialRecord) -> float | None:
    return None if trial.capacity is None else trial.capacity.found[0].rate_per_second


def overhead_seconds(rate: float, baseline_rate: float) -> float:
    """Seconds a request in excess of the baseline's, of two rates per second: 1/goodput less 1/goodput of the baseline.

    In a closed load with as many connections, this is what the condition adds to each request, by its throughput.
    """
    return 1 / rate - 1 / baseline_rate


def _overhead_needs_its_baseline(_trial: TrialRecord) -> float | None:
    """None: a single trial has no overhead. `claims.values` computes it from two."""
    return None


def capacity_for(objective: str) -> Metric:
    """The metric `capacity:OBJECTIVE`."""

    def read(trial: TrialRecord) -> float | None:
        capacities = trial.capacity.found if trial.capacity is not None else ()
        return next((each.rate_per_second for each in capacities if each.objective == objective), None)

    name = f"{CAPACITY}:{objective}"
    return Metric(
        name,
        f"{name}_per_second",
        "per_second",
        f"capacity for {objective}",
        True,
        read,
        SEARCHES,
        meaning="the rate that a search found for this objective",
    )


def find_metric(name: str, request: str | None = None) -> Metric:
    """The metric of this name, as claims write it; of one request of the mix, if `request` names one.

    Raises:
        ValueError: there is none, and the message names the one that was probably meant, and all that there are; or it
            is not measured by request.
    """
    metric = _metric_of_all(name)
    return metric if request is None else metric.of_request(request)


def _metric_of_all(name: str) -> Metric:
    if name.startswith(f"{CAPACITY}:"):
        return capacity_for(name.removeprefix(f"{CAPACITY}:"))
    if (percentile := percentile_in(name)) is not None:
        return percentile_of(*percentile)
    if name not in METRICS:
        suggestion = _probable_name(name)
        hint = f" (did you mean {suggestion}?)" if suggestion is not None else ""
        names = f"{', '.join(METRICS)}, first_byte_time_p50 and other percentiles of it, {CAPACITY}:OBJECTIVE"
        raise ValueError(f"there is no metric {name!r}{hint}; there are {names}")
    return METRICS[name]


def percentile_in(name: str) -> tuple[str, str] | None:
    """Kind and percentile of a metric's name: `response_time` and `99.9` of `response_time_p99.9`; None of others."""
    match = re.fullmatch(rf"({'|'.join(TIMES)})_{PERCENTILE_PATTERN}", name)
    if match is None or float(match[2]) <= 0:
        return None
    return match[1], f"{float(match[2]):g}"


def _probable_name(name: str) -> str | None:
    """The metric that somebody means who writes a heading of the table, a key of the result, or a common name."""
    lower = re.sub(r"[\s-]+", "_", name.strip().lower())
    if (percentile := re.fullmatch(rf"(?:latency_)?{PERCENTILE_PATTERN}", lower)) is not None and float(
        percentile[1]
    ) > 0:
        return f"response_time_p{percentile[1]}"
    by_key = {metric.key: metric.name for metric in METRICS.values()}
    close = difflib.get_close_matches(lower, METRICS, n=1)
    return by_key.get(lower) or OTHER_NAMES.get(lower) or (close[0] if close else None)


def request_metrics(request: str) -> list[Metric]:
    """All metrics of one request of the mix."""
    return [metric.of_request(request) for metric in METRICS.values() if metric.read_share is not None]


def metrics_of(load: Load) -> list[Metric]:
    """The metrics that a condition under this load shows: all that need no baseline, and each objective of a search."""
    objectives = [capacity_for(objective.name) for objective in load.objectives] if load.kind == "capacity" else []
    return [*(metric for metric in METRICS.values() if metric.name != OVERHEAD), *objectives]


CPU_STEP_SECONDS = 2 / 100
"""Two ticks of USER_HZ, which is 100 on every machine that Linux shows to programs (time(7))."""
START_UP_STEP_SECONDS = 0.02
"""A stack is asked so often whether it is ready (docs/stack-contract.md)."""

TIMES: Mapping[str, str] = {
    "response_time": "from the intended start to the last byte of the answer",
    "service_time": "from the sent request to the last byte",
    "first_byte_time": "from the sent request to the first byte of its answer; in claims alone",
}
"""Distributions of which a claim may name any percentile, and their meaning. The tables hold some of the first two."""
CAPACITY = "capacity"
OVERHEAD = "overhead"
SEARCHES = frozenset({"capacity"})
SERVED = frozenset({"closed", "fixed", "open", "ramp", "steps", "capacity"})
"""All loads but that of a program, which is never ready and has no memory at its end."""
WHOEVER_IS_SERVED = frozenset({"uneven-connections"})
"""Which connections the answers came to is a matter of their times: counts and processor time stand."""
PERCENTILE_PATTERN = r"p(\d{1,2}(?:\.\d{1,3})?)"

OTHER_NAMES: Mapping[str, str] = {
    "rate": "goodput",
    "throughput": "goodput",
    "requests_per_second": "goodput",
    "rps": "goodput",
    "latency": "response_time_p50",
    "response_time": "response_time_p50",
    "service_time": "service_time_p50",
    "first_byte": "first_byte_time_p50",
    "time_to_first_byte": "first_byte_time_p50",
    "ttfb": "first_byte_time_p50",
    "max": "response_time_max",
    "cpu": "server_cpu_per_1000_requests",
    "db_cpu": "service_cpu_per_1000_requests",
    "memory": "peak_rss",
    "rss": "peak_rss",
    "memory_ready": "ready_rss",
    "memory_at_end": "end_rss",
    "cold_start": "start_up",
    "error_rate": "errors",
    "time": "elapsed",
    "duration": "elapsed",
}
"""Headings of the table and common names, which are no metrics' names. They are answered with the metric that is
probably meant rather than taken for it: `p99` may be of the response time or of the service time."""

METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "goodput",
            "goodput_per_second",
            "per_second",
            "goodput",
            True,
            _goodput,
            despite=WHOEVER_IS_SERVED,
            read_share=_goodput_of_request,
            meaning="verified answers; of a program, operations from its start to its end",
        ),
        *(
            percentile_of(kind, percentile)
            for kind in ("response_time", "service_time")
            for percentile in METRIC_PERCENTILES
        ),
        Metric(
            "response_time_max",
            "response_time_max_seconds",
            "seconds",
            "longest response time",
            False,
            _response_time_max,
            read_share=_response_time_max_of_request,
            meaning="the longest response time",
        ),
        Metric(
            "server_cpu_per_1000_requests",
            "server_cpu_seconds_per_1000_requests",
            "seconds",
            "server CPU time per 1,000 requests",
            False,
            server_cpu_seconds_per_1000_requests,
            despite=WHOEVER_IS_SERVED,
            of_processes=True,
            read_resolution=_cpu_resolution,
            meaning="processor time of the stack's whole process tree for 1,000 verified answers, or operations of a "
            "program: 1000 × (CPU seconds / metered seconds) / goodput",
        ),
        Metric(
            "service_cpu_per_1000_requests",
            "service_cpu_seconds_per_1000_requests",
            "seconds",
            "database CPU time per 1,000 requests",
            False,
            _service_cpu_seconds_per_1000_requests,
            despite=WHOEVER_IS_SERVED,
            read_resolution=_cpu_resolution,
            meaning="the same of the processes of its database",
        ),
        Metric(
            "peak_rss",
            "peak_rss_bytes",
            "bytes",
            "peak memory",
            False,
            _peak_rss,
            of_processes=True,
            read_kind=_memory_kind("server"),
            meaning="the most memory that the stack's process tree held in the window, "
            "[shared pages counted once](statistics.md#figures)",
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
        replace(
            _of_a_server(
                "start_up",
                "seconds",
                "start-up time",
                "readiness",
                "start_up_seconds",
                meaning="from the start of the stack's process until it was ready, which is asked every 20 ms: up to "
                "so much longer than it took. Of several instances the longest. What the lab starts besides is not in "
                "it",
            ),
            read_resolution=lambda _trial: START_UP_STEP_SECONDS,
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
            "errors_share",
            "share",
            "share of requests without a right answer",
            False,
            _error_share,
            despite=WHOEVER_IS_SERVED | {"errors", "unanswered", "too-few-answers"},
            read_share=_error_share_of_request,
            read_count=_error_count,
            meaning="the part of the ended requests that had no right answer",
        ),
        Metric(
            "settle",
            "settle_seconds",
            "seconds",
            "time until the database is at rest",
            False,
            _settle_seconds,
            despite=frozenset({"work-after-the-run", "not-stationary"}),
            meaning="from the last answer until the database is at rest, its processes using at most 5% of a "
            "processor for half a second; workloads that write",
        ),
        Metric(
            "elapsed",
            "elapsed_seconds",
            "seconds",
            "elapsed time",
            False,
            _elapsed_seconds,
            frozenset({"fixed", "program"}),
            meaning="from the first request to the last; of a program, from its start to its end",
        ),
        Metric(
            CAPACITY,
            "capacity_per_second",
            "per_second",
            "capacity",
            True,
            _capacity,
            SEARCHES,
            meaning="the rate that a search found for its first objective; with `:OBJECTIVE`, for the named one",
        ),
        Metric(
            OVERHEAD,
            "overhead_seconds",
            "seconds",
            "time a request in excess of the baseline",
            False,
            _overhead_needs_its_baseline,
            meaning="a request's time in excess of the `baseline`'s in the same block: 1/goodput minus 1/goodput of "
            "the baseline. Below zero, it is [refused](#a-baseline-that-deserves-the-name)",
        ),
    )
}
"""Every metric by its name."""
