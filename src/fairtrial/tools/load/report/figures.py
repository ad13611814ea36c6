"""Times as the reports show them: only what the sample supports, and which that is."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import figure
from fairtrial.judge.metrics import supported_percentile
from fairtrial.judge.statistics.support import SAMPLES_ABOVE
from fairtrial.record.distribution import Distribution
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.plan.describe import is_open

SHORTEST_SHOWN_MS = 0.001
PERCENTILES = ("50", "90", "95", "99", "99.9", "99.99")
EXPLANATION = (
    "response time counts from the moment a request was due, service time from the moment it was sent: what lies "
    "between is waiting for a free connection, which callers feel and a closed load never shows"
)


@dataclass(frozen=True)
class Row:
    """One kind of time. `cells` are milliseconds for the columns asked for, None where unsupported."""

    name: str
    cells: Sequence[float | None]
    max_ms: float


def columns(measurement: Measurement) -> list[str]:
    """The percentiles that the response times support, as the record writes them."""
    times = measurement.summary.response_time
    return [name for name in PERCENTILES if supported_percentile(times, name) is not None]


def rows(measurement: Measurement) -> list[Row]:
    """Response time always; in an open load also service time and send lag; connect time where it recurs."""
    summary = measurement.summary
    kinds: list[tuple[str, Distribution]] = [("response time", summary.response_time)]
    if is_open(measurement.plan.load):
        kinds += [("service time", summary.service_time), ("send lag", summary.send_lag)]
    if measurement.plan.requests_per_connection is not None:
        kinds.append(("connect time", summary.connect_time))
    names = columns(measurement)
    return [
        Row(name, [_milliseconds(supported_percentile(times, each)) for each in names], 1e3 * times.max_seconds)
        for name, times in kinds
        if times.max_seconds is not None
    ]


def unsupported(measurement: Measurement) -> str:
    """Which percentiles are not shown, and how many answers they need; empty if all are."""
    count = measurement.summary.response_time.count
    missing = [name for name in PERCENTILES if name not in columns(measurement)]
    if not count or not missing:
        return ""
    # The same arithmetic as `supports_percentile`, turned round.
    needed = round(SAMPLES_ABOVE * 100 / (100 - float(missing[0])))
    names = f"p{missing[0]}" + (" and above are" if len(missing) > 1 else " is")
    return f"{names} not shown: p{missing[0]} needs {needed:,} answers, there were {count:,}"


def cell(milliseconds: float | None) -> str:
    """A figure, or a dash where there is none; below a microsecond it is only that."""
    if milliseconds is None:
        return "–"
    return "<0.001" if milliseconds < SHORTEST_SHOWN_MS else figure(milliseconds)


def goodput(measurement: Measurement) -> str:
    """`12,345 verified answers/s`, or that there was none."""
    summary = measurement.summary
    if not summary.verified:
        return "no verified answer"
    rate = summary.goodput_per_second
    return f"{rate:,.0f} verified answers/s" if rate >= 1000 else f"{rate:,.1f} verified answers/s"


def generator(measurement: Measurement) -> str:
    """What the generator itself used and how it drove its sockets."""
    summary = measurement.summary
    shares = ", ".join(f"{share:.0%}" for share in measurement.summary.thread_shares) or "–"
    several = "of their processors" if len(summary.threads) > 1 else "of its processor"
    fallback = f" ({summary.driver_fallback})" if summary.driver_fallback else ""
    return f"{shares} {several}, {summary.driver}{fallback}"


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3
