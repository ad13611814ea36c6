"""A figure of one run, held against bounds as a budget claim is: without blocks, and so without an interval.

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
from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import count, with_unit
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.claims.bounded import Range, rule, satisfies
from fairtrial.judge.claims.ruling import Ruling
from fairtrial.judge.metrics import percentile_in
from fairtrial.judge.statistics.support import samples_needed, supports_percentile
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.histogram import position_of, read_histogram

QUEUE_SHARE = 0.01
"""From this share of all requests on, those that wait for a connection at the end are a queue: as many as lie above a
p99."""

SLOWED_BY_THE_GENERATOR = frozenset({"generator-late", "generator-saturated"})
"""Checks whose refusal says that times may be the generator's own: what holds in spite of that, holds."""
NOT_THE_LOAD = frozenset({"littles-law", "clients-gone", "ports-exhausted", "capacity-search"})
"""Checks whose refusal says that the load was not the one that is named, or that the figures contradict each other."""

MEAN = "response_time_mean"


@dataclass(frozen=True)
class RunRuling(Ruling):
    """The verdict on a figure of one run; `reason` also says what else a reader must know."""

    value: float | None = None
    """in the metric's unit; infinite: there was no answer; None: there is no such figure"""


@dataclass(frozen=True)
class _Reading:
    """A figure of what ended, and what it is at worst if everything unanswered is added to it."""

    value: float | None
    at_worst: float = math.inf
    reason: str | None = None


def rule_on_run(
    metric: str, bounds: Range, engine: EngineSummary, findings: Sequence[Finding], request: str | None = None
) -> RunRuling:
    """The verdict on a figure of one run.

    Args:
        metric: `goodput`, `errors`, `response_time_max`, `response_time_mean` or a percentile, `response_time_p99`.
        findings: of the checks, about this run.
        request: the request of the mix that the figure is of; None: of all.
    """
    reading = _read_any(metric, bounds, engine, request)
    if reading.value is None:
        return RunRuling("undecided", reading.reason)
    doubtful = NOT_THE_LOAD if satisfies(reading.value, bounds) else NOT_THE_LOAD | SLOWED_BY_THE_GENERATOR
    if in_doubt := sorted(doubtful.intersection(_refusing(metric, findings))):
        return RunRuling("undecided", f"see the warning of {', '.join(in_doubt)}", value=reading.value)
    verdict = rule((reading.value, reading.at_worst), bounds).verdict
    return RunRuling(verdict, reading.reason, value=reading.value)


def _refusing(metric: str, findings: Sequence[Finding]) -> set[str]:
    """The checks that make this figure indefensible. A mean is moved by whatever moves a tail."""
    refusals = [finding for finding in findings if finding.severity == "refusal"]
    return {each.check for each in refusals if not each.metrics or metric == MEAN or each.takes(metric)}


def _read_any(metric: str, bounds: Range, engine: EngineSummary, request: str | None) -> _Reading:
    """A figure of all requests, or of one of the mix."""
    if request is None:
        return _read(metric, bounds, engine)
    of_request = engine.of_request(request)
    if of_request is None:
        return _Reading(None, reason=f"times are kept of few requests, and not of {request}")
    if metric != "goodput" and len(engine.mix) > 1 and engine.errors.get("overflow"):
        return _Reading(None, reason="there was no room for some requests, and nobody knows which they were")
    return _read(metric, bounds, of_request)


def _read(metric: str, bounds: Range, engine: EngineSummary) -> _Reading:
    if metric == "goodput":
        return _Reading(engine.goodput_per_second, engine.goodput_per_second)
    if metric == "errors":
        return _errors(engine)
    if not engine.response_time.count:
        return _Reading(None, reason="no answer was complete")
    limit_seconds = bounds[1] or 0.0
    failures = engine.ended - engine.answers if engine.cohort is None else engine.cohort.failures
    late = _late(engine, limit_seconds)
    if (pair := percentile_in(metric)) is not None:
        return _percentile(pair[1], engine, failures, late)
    value, at_worst = (
        _mean(engine, failures, late, limit_seconds) if metric == MEAN else _longest(engine, failures, late)
    )
    return _Reading(value, at_worst, _reason(engine, failures, late))


def _percentile(name: str, engine: EngineSummary, failures: int, late: int) -> _Reading:
    times, censored = engine.response_time, 0 if engine.cohort is None else engine.cohort.censored
    bounds = 0 if times.at_least is None else times.at_least.count
    # Those that timed out are failures, and among the times.
    percentile, ended = float(name), times.count + failures - (bounds - censored)
    if not supports_percentile(ended, percentile):
        samples = samples_needed(percentile)
        return _Reading(None, reason=f"p{name} needs {count(samples, 'request')}, and {ended:,} ended")
    histogram = read_histogram(times.hdr_base64)

    def among(requests: int) -> float:
        """The percentile of the times, and of so many more requests that are slower than all of them."""
        position = min(position_of(percentile, requests), requests)
        if position > times.count:
            return math.inf
        return min(histogram.at_position(position, times.bounds_from_seconds), times.max_seconds or math.inf)

    value, at_worst = among(ended), among(ended + late)
    if times.is_lower_bound(value):
        # Who timed out never had an answer; who was still waiting may have had one.
        value, at_worst = value if censored else math.inf, math.inf
    return _Reading(value, at_worst, _reason(engine, failures, late))


def _longest(engine: EngineSummary, failures: int, late: int) -> tuple[float, float]:
    oldest = 0.0 if engine.cohort is not None else engine.oldest_in_flight_seconds or 0.0
    value = math.inf if failures else max(engine.response_time.max_seconds or 0.0, oldest)
    is_open_end = late > 0 or engine.response_time.is_lower_bound(value)
    return value, math.inf if is_open_end else value


def _mean(engine: EngineSummary, failures: int, late: int, limit_seconds: float) -> tuple[float, float]:
    """A mean has no room for what has no time: with a request that failed, or a queue, it is at worst infinite."""
    times, oldest = engine.response_time, engine.oldest_in_flight_seconds or 0.0
    mean = times.mean_seconds or 0.0
    unknown = times.at_least is not None or failures > 0 or (late > 0 and oldest <= limit_seconds)
    with_late = (times.count * mean + late * oldest) / (times.count + late)
    return mean, math.inf if unknown else max(mean, with_late)


def _errors(engine: EngineSummary) -> _Reading:
    """Unanswered requests may yet fail if one of them has waited for longer than any answer took."""
    if not engine.ended:
        return _Reading(None, reason="no request ended")
    longest = engine.response_time.longest_answered_seconds or 0.0
    hanging = _late(engine, longest) if engine.cohort is None else engine.cohort.censored
    wrong = engine.ended - engine.verified
    return _Reading(wrong / engine.ended, (wrong + hanging) / (engine.ended + hanging), _reason(engine, 0, hanging))


def _late(engine: EngineSummary, limit_seconds: float) -> int:
    """How many of the requests that were unanswered at the end may take longer than this: all, the queue, or none.

    None of an open load, whose requests are all among the times or failed.
    """
    if engine.cohort is not None:
        return 0
    if (engine.oldest_in_flight_seconds or 0.0) > limit_seconds:
        return engine.in_flight_at_end
    queue = 0 if engine.waiting is None else engine.waiting.at_end
    return queue if queue > QUEUE_SHARE * (engine.ended + engine.in_flight_at_end) else 0


def _reason(engine: EngineSummary, failures: int, late: int) -> str | None:
    parts = []
    if failures:
        parts.append(f"{count(failures, 'request')} ended without an answer")
    if engine.cohort is not None and engine.cohort.censored:
        parts.append(f"{count(engine.cohort.censored, 'request')} unanswered when the drain ended")
    if late:
        oldest = with_unit(engine.oldest_in_flight_seconds or 0.0, "seconds")
        parts.append(f"{count(late, 'request')} unanswered at the end, the oldest for {oldest}")
    return "; ".join(parts) or None
