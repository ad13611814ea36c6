"""The verdicts on the figures that were expected of a load: as on a budget in an experiment, of this one run.

What has no time yet is never left out silently. Two kinds of requests have none:

- Requests that ended without an answer (refused, reset, timed out, never sent) count as slower than any limit: a client
  that never has an answer did not have it in time.
- Of an open load, the times hold what was answered or timed out after the window, and what was not even answered by the
  end of the drain as long as it had waited. A figure that falls among these is a lower bound: it can be refuted, not
  upheld.
- Of a closed load, requests that were unanswered at the end count where the oldest of them had waited for longer than
  the limit. How many of the others had, nobody knows. So a figure is upheld if it holds with all of them beyond the
  limit, and refuted if it does not even hold without them; in between it is undecided. Where the limit is longer than
  the oldest had waited, those of an open load without a drain that still waited for a connection count in the same way,
  if they are a queue and no accident.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import count, figure_in, with_unit
from fairtrial.base.units import UNITS
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.statistics.equivalence import Verdict
from fairtrial.judge.statistics.support import samples_needed, supports_percentile
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.histogram import Histogram, position_of, read_histogram
from fairtrial.tools.load.request.expected_figure import ERRORS, MAX, MEAN, RATE, ExpectedFigure

QUEUE_SHARE = 0.01
"""From this share of all requests on, those that wait for a connection at the end are a queue: as many as lie above a
p99."""

SLOWED_BY_THE_GENERATOR = frozenset({"generator-late", "generator-saturated"})
"""Checks whose refusal says that times may be the generator's own: what holds in spite of that, holds."""
NOT_THE_LOAD = frozenset({"littles-law", "clients-gone", "ports-exhausted", "capacity-search"})
"""Checks whose refusal says that the load was not the one that is named, or that the figures contradict each other."""


@dataclass(frozen=True)
class FigureVerdict:
    """What became of one expected figure."""

    expected: ExpectedFigure
    verdict: Verdict
    value: float | None
    """in the unit of the limit; infinite: there was no answer; None: there is no such figure"""
    reason: str = ""
    """why it is undecided, and what else a reader must know"""

    @property
    def value_in_words(self) -> str:
        """`12.3 ms`, `no answer`, or a dash where there is no figure."""
        if self.value is None:
            return "–"
        return "no answer" if math.isinf(self.value) else figure_in(self.value, UNITS[self.expected.symbol])


@dataclass(frozen=True)
class _Reading:
    """A figure of what ended, and what it is at worst if everything unanswered is added to it."""

    value: float | None
    at_worst: float | None
    reason: str = ""


def verdicts_on(
    expected: Sequence[ExpectedFigure],
    summary: EngineSummary,
    times: Histogram,
    findings: Sequence[Finding],
) -> list[FigureVerdict]:
    """A verdict for each expected figure.

    Args:
        times: the response times.
        findings: of the checks.
    """
    return [_verdict(each, _read_any(each, summary, times), _refusing(each, findings)) for each in expected]


def _refusing(expected: ExpectedFigure, findings: Sequence[Finding]) -> set[str]:
    """The checks that make this figure indefensible. A mean is moved by whatever moves a tail."""
    metric, is_mean = f"response_time_{expected.figure}", expected.figure == MEAN
    refusals = [finding for finding in findings if finding.severity == "refusal"]
    return {each.check for each in refusals if not each.metrics or is_mean or each.takes(metric)}


def _verdict(expected: ExpectedFigure, reading: _Reading, refusing: Collection[str]) -> FigureVerdict:
    value, at_worst = reading.value, reading.at_worst
    if value is None or at_worst is None:
        return FigureVerdict(expected, "undecided", value, reading.reason)
    doubtful = NOT_THE_LOAD if expected.holds(value) else NOT_THE_LOAD | SLOWED_BY_THE_GENERATOR
    if in_doubt := doubtful.intersection(refusing):
        return FigureVerdict(expected, "undecided", value, f"see the warning of {', '.join(sorted(in_doubt))}")
    if not expected.holds(value):
        return FigureVerdict(expected, "refuted", value, reading.reason)
    return FigureVerdict(expected, "upheld" if expected.holds(at_worst) else "undecided", value, reading.reason)


def _read_any(expected: ExpectedFigure, summary: EngineSummary, times: Histogram) -> _Reading:
    """A figure of all requests, or of one of the mix."""
    if expected.request is None:
        return _read(expected, summary, times)
    of_request = summary.of_request(expected.request)
    if of_request is None:
        return _Reading(None, None, f"times are kept of few requests, and not of {expected.request}")
    if expected.figure != RATE and len(summary.mix) > 1 and summary.errors.get("overflow"):
        return _Reading(None, None, "there was no room for some requests, and nobody knows which they were")
    return _read(expected, of_request, read_histogram(of_request.response_time.hdr_base64))


def _read(expected: ExpectedFigure, summary: EngineSummary, times: Histogram) -> _Reading:
    if expected.figure == RATE:
        return _Reading(summary.goodput_per_second, summary.goodput_per_second)
    if expected.figure == ERRORS:
        return _errors(summary)
    failures = summary.ended - summary.answers if summary.cohort is None else summary.cohort.failures
    if not summary.response_time.count:
        return _Reading(None, None, "no answer was complete")
    late = _late(summary, expected.limit)
    if expected.figure == MAX:
        return _longest(summary, failures, late)
    if expected.figure == MEAN:
        return _mean(summary, failures, late, expected.limit)
    assert expected.percentile is not None
    return _percentile(expected.percentile, summary, times, failures, late)


def _percentile(name: str, summary: EngineSummary, times: Histogram, failures: int, late: int) -> _Reading:
    censored = 0 if summary.cohort is None else summary.cohort.censored
    bounds = 0 if summary.response_time.at_least is None else summary.response_time.at_least.count
    # Those that timed out are failures, and among the times.
    percentile, ended = float(name), times.count + failures - (bounds - censored)
    if not supports_percentile(ended, percentile):
        samples = samples_needed(percentile)
        return _Reading(None, None, f"p{name} needs {count(samples, 'request')}, and {ended:,} ended")

    def among(requests: int) -> float:
        """The percentile of the times, and of so many more requests that are slower than all of them."""
        position = min(position_of(percentile, requests), requests)
        longest = summary.response_time.max_seconds
        assert longest is not None
        if position > times.count:
            return math.inf
        return min(times.at_position(position, summary.response_time.bounds_from_seconds), longest)

    value, at_worst = among(ended), among(ended + late)
    if summary.response_time.is_lower_bound(value):
        # Who timed out never had an answer; who was still waiting may have had one.
        value, at_worst = value if censored else math.inf, math.inf
    return _Reading(value, at_worst, _reasons(summary, failures, late))


def _longest(summary: EngineSummary, failures: int, late: int) -> _Reading:
    longest = summary.response_time.max_seconds or 0.0
    oldest = 0.0 if summary.cohort is not None else summary.oldest_in_flight_seconds or 0.0
    value = math.inf if failures else max(longest, oldest)
    is_open_end = late > 0 or summary.response_time.is_lower_bound(value)
    return _Reading(value, math.inf if is_open_end else value, _reasons(summary, failures, late))


def _mean(summary: EngineSummary, failures: int, late: int, limit_seconds: float) -> _Reading:
    """A mean has no room for what has no time: with a request that failed, or a queue, it is at worst infinite."""
    times, oldest = summary.response_time, summary.oldest_in_flight_seconds or 0.0
    assert times.mean_seconds is not None
    with_late = (times.count * times.mean_seconds + late * oldest) / (times.count + late)
    unknown = times.at_least is not None or failures > 0 or (late > 0 and oldest <= limit_seconds)
    return _Reading(times.mean_seconds, math.inf if unknown else with_late, _reasons(summary, failures, late))


def _errors(summary: EngineSummary) -> _Reading:
    """Unanswered requests may yet fail if one of them has waited for longer than any answer took."""
    if not summary.ended:
        return _Reading(None, None, "no request ended")
    longest = summary.response_time.longest_answered_seconds or 0.0
    hanging = _late(summary, longest) if summary.cohort is None else summary.cohort.censored
    wrong = summary.ended - summary.verified
    at_worst = (wrong + hanging) / (summary.ended + hanging)
    return _Reading(wrong / summary.ended, at_worst, _reasons(summary, 0, hanging))


def _late(summary: EngineSummary, limit_seconds: float) -> int:
    """How many of the requests that were unanswered at the end may take longer than this: all, the queue, or none.

    None of an open load, whose requests are all among the times or failed.
    """
    if summary.cohort is not None:
        return 0
    if (summary.oldest_in_flight_seconds or 0.0) > limit_seconds:
        return summary.in_flight_at_end
    queue = 0 if summary.waiting is None else summary.waiting.at_end
    return queue if queue > QUEUE_SHARE * (summary.ended + summary.in_flight_at_end) else 0


def _reasons(summary: EngineSummary, failures: int, late: int) -> str:
    parts = []
    if failures:
        parts.append(f"{count(failures, 'request')} ended without an answer")
    if summary.cohort is not None and summary.cohort.censored:
        parts.append(f"{count(summary.cohort.censored, 'request')} unanswered when the drain ended")
    if late:
        oldest = with_unit(summary.oldest_in_flight_seconds or 0.0, "seconds")
        parts.append(f"{count(late, 'request')} unanswered at the end, the oldest for {oldest}")
    return "; ".join(parts)
