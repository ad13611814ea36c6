"""The facts that the familiar figures of a closed load leave out, computed from the measurement itself."""

from collections.abc import Iterator

from fairtrial.base.formatting import figure
from fairtrial.judge.metrics import supported_percentile
from fairtrial.judge.statistics.support import supports_percentile
from fairtrial.load.words import describe_seconds
from fairtrial.tools.load.advice import warnings
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.figures import missing_percentiles

TABLE_PERCENTAGES = {"ab": (50, 66, 75, 80, 90, 95, 98, 99), "wrk": (50, 75, 90, 99)}
"""The rows of each tool's own table of percentiles."""
SKEWED = 1.5
"""A mean of more than this many times the median describes neither the usual requests nor the slow ones."""


def omissions(tool: str, measurement: Measurement) -> Iterator[str]:
    """One paragraph for each fact that the figures of `tool` (`ab` or `wrk`) leave out, the gravest first."""
    yield from _wrong_answers(tool, measurement)
    yield from _lost_requests(tool, measurement)
    yield from _lengths(tool, measurement)
    yield from _stalls(measurement)
    yield from _means(tool, measurement)
    yield from _connections(measurement)
    yield from warnings(measurement)
    busy = measurement.summary.busiest_processor_share(len(measurement.plan.cpus))
    yield (
        f"The generator's own processor: {busy:.0%} busy (the busiest, if it has several); "
        "near 100%, the generator was measured, not the server."
    )
    yield (
        "One run has no interval: the next may differ by more than the difference you look for. `fairtrial run` "
        "repeats and alternates runs, and gives an interval."
    )


def _wrong_answers(tool: str, measurement: Measurement) -> Iterator[str]:
    summary = measurement.summary
    wrong = summary.answers - summary.verified
    name = "Requests per second" if tool == "ab" else "Requests/sec"
    if wrong > 0:
        yield (
            f"{wrong:,} of {summary.answers:,} answers were wrong, and {name} counts them: "
            f"{figure(measurement.answers_per_second)}/s, but {figure(summary.goodput_per_second)}/s verified."
        )
    elif summary.verified:
        same_length = any(request.expect.body_bytes for request in measurement.plan.requests)
        length = " and the length of the first" if same_length else ""
        yield (
            f"All {summary.answers:,} answers had a status of 2xx{length}. Nothing else about them was checked: give "
            "`fairtrial load` --expect-body or --expect-length."
        )


def _lost_requests(tool: str, measurement: Measurement) -> Iterator[str]:
    summary = measurement.summary
    timeouts = summary.errors.get("timeout", 0)
    if timeouts:
        timeout = describe_seconds(measurement.plan.timeout_seconds)
        yield (
            f"{timeouts:,} requests had no answer within {timeout}: they are in no percentile and in no mean, which "
            "are therefore too low."
        )
    if tool == "wrk" and summary.in_flight_at_end:
        oldest = summary.oldest_in_flight_seconds or 0.0
        yield (
            f"{summary.in_flight_at_end:,} requests were unanswered at the end, the oldest for "
            f"{figure(oldest * 1e3)} ms; wrk drops them silently."
        )


def _lengths(tool: str, measurement: Measurement) -> Iterator[str]:
    body = measurement.summary.body_bytes
    if body is None or body.min == body.max:
        return
    lengths = f"Bodies had from {body.min:,} to {body.max:,} bytes"
    if tool == "ab":
        failed = measurement.failed.get("wrong_length", 0)
        yield (
            f"{lengths}: ab counts every answer as failed whose length is not that of the first (unless -l)"
            + (f"; here these are {failed:,}" if failed else "")
            + ". Answers with a wrong status are not among them here; ab counts some of them twice."
        )
    else:
        yield f"{lengths}: an error page counts as much as an answer."


def _stalls(measurement: Measurement) -> Iterator[str]:
    """Coordinated omission, in the figures of this run."""
    longest = measurement.summary.response_time.max_seconds
    connections = measurement.plan.load.connections
    if longest is None:
        return
    unsent = measurement.answers_per_second * longest
    yield (
        f"The load was closed: while an answer is late, its connection sends nothing. The longest answer took "
        f"{figure(longest * 1e3)} ms; if the whole server stalled, independent clients would have sent "
        f"{figure(unsent)} requests in that time, and each would have waited. Here at most {connections:,} could. "
        "To measure what they experience: fairtrial load -r RATE."
    )


def _means(tool: str, measurement: Measurement) -> Iterator[str]:
    times = measurement.summary.response_time
    median, mean = supported_percentile(times, "50"), times.mean_seconds
    if median is None or mean is None:
        yield missing_percentiles(measurement) + "."
        return
    percentiles = {f"p{name}": supported_percentile(times, name) for name in ("50", "90", "99", "99.9")}
    distribution = ", ".join(
        f"{name} {figure(value * 1e3)} ms" for name, value in percentiles.items() if value is not None
    )
    skewed = (
        f"The mean of {figure(mean * 1e3)} ms is {figure(mean / median)} times the median: it describes neither the "
        "usual requests nor the slow ones. "
    )
    deviation = "A standard deviation says little about such times. " if tool == "wrk" else ""
    yield f"{skewed if mean > SKEWED * median else deviation}The distribution: {distribution}."
    rare_rows = [row for row in TABLE_PERCENTAGES[tool] if not supports_percentile(times.count, row)]
    if rare_rows:
        yield (
            f"The row for {rare_rows[0]}%{' and those below it' if len(rare_rows) > 1 else ''} would rest on fewer "
            f"than ten slower answers of {times.count:,}: that is the maximum under another name."
        )


def _connections(measurement: Measurement) -> Iterator[str]:
    if measurement.plan.requests_per_connection is None:
        return
    connect, response = measurement.summary.connect_time, measurement.summary.response_time
    if connect.mean_seconds and response.mean_seconds:
        share = connect.mean_seconds / response.mean_seconds
        yield (
            f"Every request opened a connection of its own, which took {share:.0%} of its time: much of what was "
            "measured is the kernel's TCP. With -k, connections are kept open."
        )
