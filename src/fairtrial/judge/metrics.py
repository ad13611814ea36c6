"""What can be claimed of a condition, and what its row in the table shows.

One rule names both: a figure's key says its unit (`goodput_per_second`, `server_cpu_seconds_per_1000_requests`); leave
the unit out and it is the metric's name, as claims write it (`goodput`, `server_cpu_per_1000_requests`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from fairtrial.record.distribution import Distribution
from fairtrial.record.model import ServerMeter, TrialRecord
from fairtrial.statistics.support import supports_percentile

Unit = Literal["per_second", "seconds", "bytes"]


@dataclass(frozen=True)
class Metric:
    """One figure of a trial. `read` gives it in `unit`, or None if it was not measured or its sample is too small."""

    name: str
    key: str
    unit: Unit
    label: str
    higher_is_better: bool
    read: Callable[[TrialRecord], float | None]


def supported_percentile(times: Distribution, percentile: str) -> float | None:
    """Seconds at `percentile` (the record's key: "50", "99.9"), None if the sample does not support it."""
    if not supports_percentile(times.count, float(percentile)):
        return None
    return times.percentiles.get(percentile)


def server_cpu_seconds_per_1000_requests(trial: TrialRecord) -> float | None:
    """Processor time of the stack's process tree for 1,000 verified answers.

    Both are taken as rates over their own windows, which differ by the moment it takes to read the meters.
    """
    return _per_1000_requests(trial, trial.server)


def _service_cpu_seconds_per_1000_requests(trial: TrialRecord) -> float | None:
    return _per_1000_requests(trial, trial.service)


def _per_1000_requests(trial: TrialRecord, meter: ServerMeter | None) -> float | None:
    if trial.engine is None or meter is None or meter.window_seconds <= 0:
        return None
    if trial.engine.goodput_per_second <= 0:
        return None
    return 1000 * meter.cpu_seconds / meter.window_seconds / trial.engine.goodput_per_second


def _goodput(trial: TrialRecord) -> float | None:
    if trial.program is not None:
        return trial.program.operations_per_second
    return trial.engine.goodput_per_second if trial.engine is not None and trial.engine.verified > 0 else None


def _response_time(percentile: str) -> Callable[[TrialRecord], float | None]:
    return lambda trial: None if trial.engine is None else supported_percentile(trial.engine.response_time, percentile)


def _service_time(percentile: str) -> Callable[[TrialRecord], float | None]:
    return lambda trial: None if trial.engine is None else supported_percentile(trial.engine.service_time, percentile)


def _response_time_max(trial: TrialRecord) -> float | None:
    return None if trial.engine is None else trial.engine.response_time.max_seconds


def _peak_rss(trial: TrialRecord) -> float | None:
    return None if trial.server is None else float(trial.server.peak_rss_bytes)


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("goodput", "goodput_per_second", "per_second", "goodput", True, _goodput),
        *(
            Metric(
                f"{kind}_p{percentile}",
                f"{kind}_p{percentile}_seconds",
                "seconds",
                f"{kind.replace('_', ' ')} p{percentile}",
                False,
                read(percentile),
            )
            for kind, read in (("response_time", _response_time), ("service_time", _service_time))
            for percentile in ("50", "90", "99")
        ),
        Metric(
            "response_time_max",
            "response_time_max_seconds",
            "seconds",
            "longest response time",
            False,
            _response_time_max,
        ),
        Metric(
            "server_cpu_per_1000_requests",
            "server_cpu_seconds_per_1000_requests",
            "seconds",
            "server CPU time per 1,000 requests",
            False,
            server_cpu_seconds_per_1000_requests,
        ),
        Metric(
            "service_cpu_per_1000_requests",
            "service_cpu_seconds_per_1000_requests",
            "seconds",
            "database CPU time per 1,000 requests",
            False,
            _service_cpu_seconds_per_1000_requests,
        ),
        Metric("peak_rss", "peak_rss_bytes", "bytes", "peak resident memory", False, _peak_rss),
    )
}
"""Every metric by its name."""
