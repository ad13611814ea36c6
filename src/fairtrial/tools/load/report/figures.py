"""The figures of a load as its reports show them; of percentiles only those that the sample supports."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from fairtrial.base.formatting import bounded_below, count, figure
from fairtrial.base.printable import printable
from fairtrial.judge.checks.uneven_connections import uneven_connections
from fairtrial.judge.metrics import supported_percentile
from fairtrial.judge.statistics.support import samples_needed
from fairtrial.load.words import describe_wait
from fairtrial.record.capacity import CapacityFound, Probe
from fairtrial.record.engine_summary import Distribution, EngineSummary
from fairtrial.report.columns import LOWER_BOUNDS
from fairtrial.tools.load.measure import Measurement

SHORTEST_SECONDS = 1e-6
FEWEST_ANSWERS_EACH = 20
"""At random, so many answers to each connection have an evenness of 20/21; fewer are uneven by themselves."""
TABLE_PERCENTILES = ("50", "90", "95", "99", "99.9", "99.99")
"""The columns of the table of times, where the sample supports them."""
EXPLANATION = (
    "response time counts from the moment a request was due, service time from the moment it was sent; between them it "
    "waits for a free connection, which clients experience and a closed load never shows"
)
PROBE_TITLES = ("run", "rate/s", "s", "answered", "p50 ms", "p99 ms", "errors", "objectives")
"""The columns of the table of a search for the capacity."""


class Row(NamedTuple):
    """One kind of time: its name, and a cell for each column and for the maximum."""

    name: str
    cells: Sequence[str]


def columns(measurement: Measurement) -> list[str]:
    """The percentiles that the sample of response times supports, such as `99.9`."""
    times = measurement.summary.response_time
    return [name for name in TABLE_PERCENTILES if supported_percentile(times, name) is not None]


def rows(measurement: Measurement) -> list[Row]:
    """Response times and times to the first byte; in an open load also service times and send lags; connect times if
    connections are reopened."""
    summary = measurement.summary
    kinds: list[tuple[str, Distribution]] = [("response time", summary.response_time)]
    if measurement.is_open:
        kinds += [("service time", summary.service_time), ("send lag", summary.send_lag)]
    if summary.first_byte_time is not None:
        kinds.append(("first byte", summary.first_byte_time))
    if measurement.plan.requests_per_connection is not None:
        kinds.append(("connect time", summary.connect_time))
    names = columns(measurement)
    return [
        Row(name, [*(time_cell(supported_percentile(times, each), times) for each in names), time_cell(longest, times)])
        for name, times in kinds
        if (longest := times.max_seconds) is not None
    ]


def missing_percentiles(measurement: Measurement) -> str:
    """Which percentiles are left out, and how many answers they need; empty if none is."""
    answers = measurement.summary.response_time.count
    missing = [name for name in TABLE_PERCENTILES if name not in columns(measurement)]
    if not answers or not missing:
        return ""
    samples = samples_needed(float(missing[0]))
    names = f"p{missing[0]}" + (" and above are" if len(missing) > 1 else " is")
    return f"{names} not shown: p{missing[0]} needs {samples:,} answers, there were {answers:,}"


def notes_on_times(measurement: Measurement) -> list[str]:
    """What a reader of the table of times has to know."""
    has_lower_bounds = measurement.summary.response_time.at_least is not None
    notes = [EXPLANATION] * measurement.is_open + [LOWER_BOUNDS] * has_lower_bounds
    return [*notes, *filter(None, [missing_percentiles(measurement)])]


def time_cell(seconds: float | None, times: Distribution | None) -> str:
    """One of these times in ms: a dash for None, `<0.001` below a microsecond, `> 190` for a lower bound."""
    return bounded_cell(seconds, math.inf if times is None else times.bounds_from_seconds)


def bounded_cell(seconds: float | None, bounds_from_seconds: float) -> str:
    """The same, of times that are lower bounds from so many seconds on."""
    if seconds is None:
        return "–"
    text = "<0.001" if seconds < SHORTEST_SECONDS else figure(1e3 * seconds)
    return bounded_below(text, seconds >= bounds_from_seconds)


def goodput_in_words(measurement: Measurement) -> str:
    """`12,345 verified answers/s`, or `no verified answer`."""
    summary = measurement.summary
    if not summary.verified:
        return "no verified answer"
    rate = summary.goodput_per_second
    return f"{rate:,.0f} verified answers/s" if rate >= 1000 else f"{rate:,.1f} verified answers/s"


def generator_in_words(measurement: Measurement) -> str:
    """How busy the load generator's processors were, its driver and how it waits: `61% of its processor, epoll, …`."""
    summary = measurement.summary
    shares = ", ".join(f"{share:.0%}" for share in summary.thread_shares) or "–"
    several = "of their processors" if len(summary.threads) > 1 else "of its processor"
    fallback = f" ({summary.driver_fallback})" if summary.driver_fallback else ""
    wait = "" if summary.wait is None else f", {describe_wait(summary.wait)}"
    return f"{shares} {several}, {summary.driver}{fallback}{wait}"


def unevenness_in_words(measurement: Measurement) -> str:
    """How answers spread over connections, where a reader should know it: `0 to 3,000 answers each, evenness 0.25`.

    Empty where they are as even as the check `uneven-connections` asks for, and for want of answers.
    """
    summary, answers = measurement.summary, measurement.summary.connection_answers
    if (
        answers is None
        or answers.evenness is None
        or answers.evenness >= uneven_connections.thresholds["evenness"].value
    ):
        return ""
    if summary.answers < FEWEST_ANSWERS_EACH * answers.connections:
        return ""
    each = f"{answers.least:,} to {answers.most:,} answers each, evenness {answers.evenness:.2f}"
    return f"{each}; {answers.without:,} had none" if answers.without else each


def capacities(measurement: Measurement) -> list[str]:
    """What a search for the capacity found, a line for each objective; empty for any other load."""
    search = measurement.trial.capacity
    return [] if search is None else [_capacity_in_words(each) for each in search.found]


def _capacity_in_words(capacity: CapacityFound) -> str:
    """`5,320 requests/s with p99-within-50-ms`."""
    if capacity.rate_per_second is None:
        return f"no rate was confirmed with {capacity.objective}"
    top = ", and it may be more: no higher rate was tried" if capacity.at_the_top else ""
    return f"{capacity.rate_per_second:,.0f} requests/s with {capacity.objective}{top}"


def probe_rows(measurement: Measurement) -> list[Sequence[str]]:
    """The runs of a search, in order: a cell for each of `PROBE_TITLES`. Empty for any other load."""
    search = measurement.trial.capacity
    return [] if search is None else [_cells_of(probe) for probe in search.probes]


def _cells_of(probe: Probe) -> Sequence[str]:
    answered = probe.answered_share if probe.answered_share is not None else probe.achieved_over_offered
    bounds_from_seconds = math.inf if probe.at_least_seconds is None else probe.at_least_seconds
    missed = [f"{each.objective}: {each.why_not}" for each in probe.objectives if not each.met]
    return (
        "confirms" if probe.confirming else "tries",
        f"{probe.rate_per_second:,.0f}",
        figure(probe.seconds),
        "–" if answered is None else f"{answered:.1%}",
        *(bounded_cell(probe.percentiles_seconds.get(name), bounds_from_seconds) for name in ("50", "99")),
        f"{probe.error_share:.2%}",
        "; ".join(missed) or "kept",
    )


def tls_in_words(summary: EngineSummary) -> str:
    """Version, cipher suite, and what the handshakes of the window were; empty without TLS."""
    if summary.tls is None:
        return ""
    words = [printable(summary.tls.version, 20), printable(summary.tls.cipher_suite, 60)]
    handshakes = summary.handshakes
    if handshakes is not None and (handshakes.full or handshakes.resumed):
        words.append(f"{count(handshakes.full, 'full handshake')}, {handshakes.resumed:,} resumed")
    return ", ".join(words)
