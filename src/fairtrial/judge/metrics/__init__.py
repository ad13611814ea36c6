"""The metrics that claims are about and that the table of conditions shows.

Names follow one rule. A figure's key holds its unit (`goodput_per_second`, `server_cpu_seconds_per_1000_requests`);
without the unit it is the metric's name, as claims write it (`goodput`, `server_cpu_per_1000_requests`).
"""

import difflib
import re
from collections.abc import Mapping

from fairtrial.base.registry import instead_of
from fairtrial.judge.metrics.metric import LONGEST, OF_ANSWERS, TIMES, Metric, is_lower_bound, kinds_in
from fairtrial.judge.metrics.readings import supported_percentile
from fairtrial.judge.metrics.table import CAPACITY, METRICS, OVERHEAD, SERVED, capacity_for, percentile_of
from fairtrial.load.kinds import Load

__all__ = [
    "CAPACITY",
    "LONGEST",
    "METRICS",
    "OF_ANSWERS",
    "OVERHEAD",
    "PERCENTILE_PATTERN",
    "SERVED",
    "TIMES",
    "Metric",
    "find_metric",
    "is_lower_bound",
    "journey_metrics",
    "kinds_in",
    "metrics_of",
    "percentile_in",
    "request_metrics",
    "supported_percentile",
]

LIST_COMMAND = "`fairtrial list metrics`"
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
    "ttft": "first_event_time_p50",
    "time_to_first_token": "first_event_time_p50",
    "inter_token_latency": "event_gap_p99",
    "iteration_duration": "journey_time_p50",
    "iterations": "journeys",
    "max": "response_time_max",
    "cpu": "server_cpu_per_1000_requests",
    "db_cpu": "service_cpu_per_1000_requests",
    "memory": "peak_rss",
    "rss": "peak_rss",
    "memory_ready": "ready_rss",
    "memory_at_end": "end_rss",
    "idle": "idle_connection_rss",
    "cold_start": "start_up",
    "error_rate": "errors",
    "time": "elapsed",
    "duration": "elapsed",
}
"""Headings of the table and common names, which are no metrics' names. They are answered with the metric that is
probably meant rather than taken for it: `p99` may be of the response time or of the service time."""


def find_metric(name: str, request: str | None = None) -> Metric:
    """The metric of this name, as claims write it; of one request of the mix, or one journey, if `request` names one.

    Raises:
        ValueError: there is none, and the message names the one that was probably meant, or the nearest; or it is not
            measured by request.
    """
    metric = _metric_of_all(name)
    if request is None:
        return metric
    if metric.read_share is None and metric.read_journey is None:
        raise ValueError(
            f"{metric.name} is not measured by request: leave `request` out, or choose another; {LIST_COMMAND} has all"
        )
    return metric.of_request(request)


def _metric_of_all(name: str) -> Metric:
    if name.startswith(f"{CAPACITY}:"):
        return capacity_for(name.removeprefix(f"{CAPACITY}:"))
    if (percentile := percentile_in(name)) is not None:
        return percentile_of(*percentile)
    if name not in METRICS:
        suggestion = _probable_name(name)
        hint = instead_of(name, METRICS) if suggestion is None else f" (did you mean {suggestion}?)"
        raise ValueError(f"there is no metric {name!r}{hint}; {LIST_COMMAND} has all")
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


def journey_metrics(journey: str) -> list[Metric]:
    """All metrics of one kind of journey."""
    return [metric.of_request(journey) for metric in METRICS.values() if metric.read_journey is not None]


def request_metrics(request: str) -> list[Metric]:
    """All metrics of one request of the mix."""
    return [metric.of_request(request) for metric in METRICS.values() if metric.read_share is not None]


def metrics_of(load: Load) -> list[Metric]:
    """The metrics that a condition under this load shows: all that need no baseline, and each objective of a search."""
    objectives = [capacity_for(objective.name) for objective in load.objectives] if load.kind == "capacity" else []
    return [*(metric for metric in METRICS.values() if metric.name != OVERHEAD), *objectives]
