"""The search for the highest rate at which each objective is met: bracket by factors of four, halve, then confirm.

The rates that are tried lie on a grid, and a capacity is the last one of it that held. If every trial tried the same
rates, two contenders whose capacities differ by less than a step would differ by nothing or by a whole step in block
after block, with an interval of no width. So each search draws where its grid lies: the figures of several are spread
over a step, and their intervals hold it.

It assumes that an objective that is missed at one rate is missed at all higher ones. The rate that short probes found
is confirmed over a full window, and lowered until the objective is met there: the figure is a rate that was sustained.

Near a capacity, times tell what a queue does more than what a server learns: at 90% of what it can take, 1% less speed
makes a queue a tenth longer. So where the warm-up of a confirming run ended at its limit with times that still fell,
the run is repeated: who learns goes on with it.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fairtrial.engine.plan import Request
from fairtrial.judge.checks.errors import NOT_SHORTENED
from fairtrial.judge.metrics import supported_percentile
from fairtrial.judge.statistics.support import samples_needed, supports_percentile
from fairtrial.load.capacity import METRIC_PERCENTILES, CapacityLoad, Objective
from fairtrial.record.capacity import CapacityFound, CapacitySearch, ObjectiveMet, Probe
from fairtrial.record.engine_summary import Distribution, EngineSummary
from fairtrial.record.histogram import position_of, read_histogram

BRACKET_FACTOR = 4.0
CONFIRMATIONS = 12
"""Each lowers the rate by the search's precision. An objective that is still missed after so many has no capacity."""

WARM_UPS = 3
"""Of a run that confirms, at most: each as long as its limit. Then the contender is taken for one that still learns."""

MISSED = 1.5
"""Requests: fewer than that is one at the edge of the window, and no rate that was not kept."""

OFFERED_SHARE = 0.98
"""A rate of which less than this could be offered (too few connections, a slow generator) was not tried."""

CLOSE_BETWEEN_ANSWERS = "unannounced_close"
REPEATABLE_METHODS = ("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE")
"""Idempotent ones (RFC 9110, 9.2.2): clients repeat them by themselves where a connection ends between two answers
(RFC 9112, 9.3.1). At low rates connections rest about as long as servers keep them, and some requests meet the end."""

RESTING_SECONDS = 1.0
"""Connections that have a request more often do not rest: a server that closes them drops requests."""

REPEATED_SHARE = 0.01
"""Of all requests: no more are repeated, whatever part an objective leaves out of its percentile."""

RunProbe = Callable[[float, float, bool], EngineSummary]
"""Offers a rate per second for some seconds; the third says whether it confirms."""


@dataclass
class _Bracket:
    """The highest rate at which the objective was met, and the lowest at which it was missed."""

    highest_met: float | None = None
    lowest_missed: float | None = None

    def learn(self, rate: float, is_met: bool) -> None:
        if is_met:
            self.highest_met = max(self.highest_met or rate, rate)
        else:
            self.lowest_missed = min(self.lowest_missed or rate, rate)

    def middle(self, precision: float) -> float | None:
        """The next rate to try; None if the bracket is narrow enough, or has only one end."""
        if (
            self.highest_met is None
            or self.lowest_missed is None
            or self.lowest_missed <= self.highest_met * (1 + precision)
        ):
            return None
        return _four_digits(math.sqrt(self.highest_met * self.lowest_missed))


def search(
    load: CapacityLoad,
    run: RunProbe,
    requests: Sequence[Request] = (),
    *,
    are_messages: bool = False,
    offset: float,
) -> CapacitySearch:
    """Search for all objectives at once: each probe is judged by every objective.

    Args:
        offset: from 0 to 1, where the grid of rates lies: drawn for each search.
        requests: the mix that is sent; empty: none of the objectives is of one request.
        are_messages: they are messages of a WebSocket, which no client repeats.
    """
    total = sum(request.weight for request in requests)
    parts = {request.name: request.weight / total for request in requests}
    methods = {request.method for request in requests}
    repeatable = bool(methods) and not are_messages and methods <= set(REPEATABLE_METHODS)
    probes: list[Probe] = []
    brackets = {objective.name: _Bracket() for objective in load.objectives}

    def attempt(rate: float, *, confirming: bool) -> Probe:
        seconds = load.duration_seconds if confirming else load.probe_seconds
        arrivals = max(_arrivals(each, parts) for each in load.objectives)
        seconds = max(seconds, math.ceil(100 * arrivals / rate) / 100)
        summary = run(rate, seconds, confirming)
        for _ in range(1, WARM_UPS):
            if not confirming or summary.warm_up is None or summary.warm_up.rise_at_the_limit is None:
                break
            summary = run(rate, seconds, confirming)
        probe = judge_probe(load, rate, seconds, confirming, summary, repeatable=repeatable)
        probes.append(probe)
        if not confirming:
            for result in probe.objectives:
                brackets[result.objective].learn(rate, result.met)
        return probe

    rate, factor = load.lowest_per_second, BRACKET_FACTOR ** (0.5 + offset)
    while any(result.met for result in attempt(rate, confirming=False).objectives) and rate < load.highest_per_second:
        rate, factor = min(_four_digits(rate * factor), load.highest_per_second), BRACKET_FACTOR
    for bracket in brackets.values():
        while (middle := bracket.middle(load.precision)) is not None:
            attempt(middle, confirming=False)

    def confirmed(objective: Objective) -> CapacityFound:
        bracket = brackets[objective.name]
        at = bracket.highest_met
        for _ in range(CONFIRMATIONS):
            if at is None or at < load.lowest_per_second * (1 - 1e-9):
                break
            results = attempt(at, confirming=True).objectives
            if next(result.met for result in results if result.objective == objective.name):
                return CapacityFound(
                    objective=objective.name,
                    rate_per_second=at,
                    missed_per_second=_lowest_missed(probes, objective, at),
                    at_the_top=bracket.lowest_missed is None and at >= load.highest_per_second,
                )
            at = _four_digits(at / (1 + load.precision))
        return CapacityFound(objective=objective.name, rate_per_second=None)

    # The trial shows the times of the last run: the first objective is confirmed last.
    capacities = [confirmed(objective) for objective in reversed(load.objectives)]
    return CapacitySearch(probes=probes, found=capacities[::-1])


def _four_digits(rate: float) -> float:
    """The rate with four digits: what a search draws has no more of them that mean anything. The narrowest step is 1%,
    so that the grid still lies where it was drawn."""
    return float(f"{rate:.4g}")


def _lowest_missed(probes: Sequence[Probe], objective: Objective, above: float) -> float | None:
    return min(
        (
            probe.rate_per_second
            for probe in probes
            for result in probe.objectives
            if result.objective == objective.name and not result.met and probe.rate_per_second > above
        ),
        default=None,
    )


def _arrivals(objective: Objective, parts: Mapping[str, float]) -> float:
    """So many arrivals of the whole mix hold enough of the objective's for its percentile.

    Arrivals at random vary by their square root: three standard deviations more, and at least a tenth.
    """
    samples = samples_needed(objective.percentile)
    return max(1.1 * samples, samples + 3 * math.sqrt(samples)) / parts.get(objective.request or "", 1.0)


def judge_probe(
    load: CapacityLoad,
    rate: float,
    seconds: float,
    confirming: bool,
    summary: EngineSummary,
    *,
    repeatable: bool = False,
) -> Probe:
    """A run of the engine, judged by the objectives.

    Args:
        repeatable: clients repeat a request whose connection ends between two answers (RFC 9112, 9.3.1). It is no
            error, but among the slowest, where each connection has a request per second or fewer. Such requests are 1%
            of all at most: more are errors.
    """
    repeatable = repeatable and load.connections / rate >= RESTING_SECONDS
    bounds = summary.response_time.at_least
    return Probe(
        rate_per_second=rate,
        seconds=seconds,
        confirming=confirming,
        achieved_over_offered=summary.achieved_over_offered,
        answered_share=summary.answered_share,
        percentiles_seconds={name: supported_percentile(summary.response_time, name) for name in METRIC_PERCENTILES},
        at_least_seconds=None if bounds is None else bounds.min_seconds,
        error_share=summary.error_share,
        busiest_thread_share=summary.busiest_thread_share,
        objectives=[_objective_met(objective, summary, repeatable) for objective in load.objectives],
    )


def _objective_met(objective: Objective, summary: EngineSummary, repeatable: bool) -> ObjectiveMet:
    why_not = _why_not(objective, summary, repeatable)
    late_share = None if why_not is None else _late_share(objective, summary, repeatable)
    return ObjectiveMet(objective=objective.name, met=why_not is None, why_not=why_not, late_share=late_share)


def _late_share(objective: Objective, summary: EngineSummary, repeatable: bool) -> float | None:
    """The part of a missed objective's percentile that the generator took; None if it would have been missed anyway."""
    if summary.waiting is not None and summary.waiting.peak > 0:
        return None  # no connection was free: it is the contender that was late
    mix = [share.model_copy(update={"response_time": share.service_time}) for share in summary.mix]
    sent_in_time = summary.model_copy(update={"response_time": summary.service_time, "mix": mix})
    if _why_not(objective, sent_in_time, repeatable) is not None:
        return None
    response, service = (_seconds_at(objective, each) for each in (summary, sent_in_time))
    return 1 - service / response if response and service is not None else None


def _seconds_at(objective: Objective, summary: EngineSummary) -> float | None:
    of_request = summary if objective.request is None else summary.of_request(objective.request)
    return None if of_request is None else supported_percentile(of_request.response_time, f"{objective.percentile:g}")


def was_offered(summary: EngineSummary) -> bool:
    """Whether nearly all of what an open load offered was answered in its window; of a closed load, True."""
    offered = summary.achieved_over_offered
    # At a low rate a single request at the window's edge is more than that share.
    return offered is None or offered >= OFFERED_SHARE or offered > summary.sent / (summary.sent + MISSED)


def _why_not(objective: Objective, summary: EngineSummary, repeatable: bool) -> str | None:
    name, limit = f"{objective.percentile:g}", objective.within_milliseconds / 1e3
    repeated = summary.errors.get(CLOSE_BETWEEN_ANSWERS, 0) if repeatable else 0
    failed = summary.error_share - min(repeated / max(summary.ended, 1), REPEATED_SHARE)
    if failed > objective.error_share + 1e-9:
        kinds = (f"{kind} {number:,}" for kind, number in summary.errors.items() if number)
        return f"{summary.error_share:.2%} of the requests failed: {', '.join(kinds)}"
    if not was_offered(summary):
        return f"only {summary.achieved_over_offered:.1%} of the rate could be offered"
    of = f" of {objective.request}" if objective.request else ""
    if objective.request is not None:
        of_request = summary.of_request(objective.request)
        if of_request is None:
            return f"times of {objective.request} were not kept"
        summary = of_request
    # What still waits for an answer has no time yet: its share may not exceed what may lie above the percentile.
    # Of an open load that was drained they are among the times.
    unanswered = 0 if summary.cohort is not None else summary.in_flight_at_end
    if (summary.oldest_in_flight_seconds or 0.0) > limit and unanswered > summary.sent * (
        1 - objective.percentile / 100
    ):
        return f"{unanswered:,} requests had no answer at the end"
    # The slowest requests may be among those that failed at once: these count as longer than all others.
    at_once = sum(number for kind, number in summary.errors.items() if kind not in NOT_SHORTENED)
    if at_once:
        of += ", with requests that failed as the slowest,"
    seconds = _seconds_among(summary.response_time, objective.percentile, at_once)
    if seconds is None or seconds == math.inf:
        few = f"{summary.response_time.count:,} answers are too few for p{name}{of}"
        return few if seconds is None else f"{at_once:,} requests failed, which is more than lie above p{name}"
    is_bound = summary.response_time.is_lower_bound(seconds)
    was = "was more than" if is_bound else "was"
    return f"p{name}{of} {was} {seconds * 1e3:.3g} ms" if is_bound or seconds > limit else None


def _seconds_among(times: Distribution, percentile: float, longer: int) -> float | None:
    """Seconds at a percentile of these times and of so many that are longer than all; infinite if it is one of those.

    None: there are too few.
    """
    if not longer:
        return supported_percentile(times, f"{percentile:g}")
    total = times.count + longer
    if not times.count or not times.hdr_base64 or not supports_percentile(total, percentile):
        return None
    position = position_of(percentile, total)
    histogram = read_histogram(times.hdr_base64)
    return math.inf if position > times.count else histogram.at_position(position, times.bounds_from_seconds)
