"""The room that the load, and the waits in it, leave: the least and the most that a metric can be, by arithmetic.

A connection, or a stream, waits for one answer at a time. So `c` requests in flight that each wait for `d` seconds are
answered `c / d` times a second at most (Little's law, J. D. C. Little, Operations Research 9 (1961), 383-387). What a
window holds beyond that are the requests that were in flight when it began.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import count, figure_in, plain, plain_in
from fairtrial.base.units import UNITS, readable_unit
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.design.model import Design
from fairtrial.judge.metrics import CAPACITY, OF_ANSWERS, percentile_in
from fairtrial.load.capacity import CapacityLoad
from fairtrial.load.kinds import Load
from fairtrial.record.design import ConditionDesign, RequestWait

SLEW = 0.0005
"""Databases sleep by the clock of the day, which the kernel slews by up to 500 parts in a million (adjtimex(2))."""

DEVIATIONS = 5.0
"""Standard deviations within which the number of Poisson arrivals lies, but for one window in a million."""

ALL = 1 - 1e-9


@dataclass(frozen=True)
class Room:
    """The range in which a metric must lie, in its base unit, and why."""

    low: float = 0.0
    high: float = math.inf
    why_low: str = ""
    why_high: str = ""


NO_ROOM_KNOWN = Room()


def seconds_in_words(seconds: float) -> str:
    """`10 ms`."""
    return plain_in(seconds, readable_unit("seconds", seconds))


def mean_wait(waits: Sequence[RequestWait]) -> float:
    """The mean wait of a request, in seconds; 0 where nothing is known."""
    return sum(wait.share * wait.seconds for wait in waits)


def in_flight_in_words(load: Load) -> str:
    """`64 connections`, `64 streams` or `64 messages`."""
    return count(load.most_in_flight, load.client_noun if load.streams > 1 else "connection")


def waits_in_words(waits: Sequence[RequestWait]) -> str:
    """`each of which waits for 10 ms`, or on average."""
    mean = mean_wait(waits)
    is_alike = len({wait.seconds for wait in waits}) == 1
    return f"each answer takes {seconds_in_words(mean)}{'' if is_alike else ' of waiting on average'}"


def room_of(metric: str, request: str | None, reference: ConditionRef, design: Design) -> Room:
    """The least and the most that a metric of a condition can be, whoever answers."""
    load, facts = design.condition(reference).load, design.facts_of(reference)
    percentile = percentile_in(metric)
    if metric == "response_time_max" or (percentile is not None and percentile[0] in OF_ANSWERS):
        return _of_times(metric, request, facts)
    if metric == "elapsed":
        return _of_elapsed(load, facts)
    if metric == "goodput":
        return _of_goodput(load, facts) if request is None else NO_ROOM_KNOWN
    if metric.partition(":")[0] == CAPACITY and isinstance(load, CapacityLoad):
        rate = plain_in(load.highest_per_second, UNITS["/s"])
        return Room(high=load.highest_per_second, why_high=f"the search goes up to {rate}")
    return NO_ROOM_KNOWN


def percentile_floor(percentile: float, request: str | None, waits: Sequence[RequestWait]) -> float:
    """The least that this percentile of response times can be, in seconds; 0: nothing is known.

    Where only some requests wait so long, there must be twice as many of them as lie above the percentile: a window may
    begin and end amid a cycle of the mix.
    """
    if request is not None:
        return max((wait.seconds for wait in waits if wait.request in (request, None)), default=0.0)
    above = 1 - percentile / 100
    for seconds in sorted({wait.seconds for wait in waits}, reverse=True):
        share = sum(wait.share for wait in waits if wait.seconds >= seconds)
        if share >= ALL or share >= 2 * above:
            return seconds
    return 0.0


def _of_times(metric: str, request: str | None, facts: ConditionDesign) -> Room:
    kind, percentile = percentile_in(metric) or ("response_time", "100")
    if kind not in ("response_time", "service_time"):  # a head, or an event, may come before the wait is over
        return NO_ROOM_KNOWN
    floor = percentile_floor(float(percentile), request, facts.waits)
    if floor <= 0:
        return NO_ROOM_KNOWN
    of = "an answer" if request is None else f"an answer to `{request}`"
    return Room(low=floor * (1 - SLEW), why_low=f"{of} takes {seconds_in_words(floor)} at least")


def _of_elapsed(load: Load, facts: ConditionDesign) -> Room:
    if facts.least_job_seconds:
        least = facts.least_job_seconds
        return Room(low=least * (1 - SLEW), why_low=f"the waits of the job alone take {seconds_in_words(least)}")
    least = _least_fixed_seconds(load, facts.waits)
    if least <= 0:
        return NO_ROOM_KNOWN
    why = (
        f"{load.fixed_requests:,} requests over {in_flight_in_words(load)} wait for {seconds_in_words(least)} at least"
    )
    return Room(low=least * (1 - SLEW), why_low=why)


def _least_fixed_seconds(load: Load, waits: Sequence[RequestWait]) -> float:
    """From the first request to the last of a fixed number. In a cycle of a mix, one of each kind may be missing."""
    requests = load.fixed_requests
    if requests is None or not waits:
        return 0.0
    if len(waits) == 1:
        return math.ceil(requests / load.most_in_flight) * waits[0].seconds
    waited = sum(max(0.0, wait.share * requests - 1) * wait.seconds for wait in waits)
    return waited / load.most_in_flight


def _of_goodput(load: Load, facts: ConditionDesign) -> Room:
    if facts.least_job_seconds and facts.operations:
        why = f"the waits of the job alone take {seconds_in_words(facts.least_job_seconds)}"
        return Room(high=facts.operations / (facts.least_job_seconds * (1 - SLEW)), why_high=why)
    if load.fixed_requests is not None:
        least = _least_fixed_seconds(load, facts.waits)
        if least <= 0:
            return NO_ROOM_KNOWN
        why = (
            f"{load.fixed_requests:,} requests over {in_flight_in_words(load)} take {seconds_in_words(least)} at least"
        )
        return Room(high=load.fixed_requests / (least * (1 - SLEW)), why_high=why)
    per_second = None if facts.has_journeys else load.mean_per_second  # an arrival is then several requests
    if load.window_seconds is not None and per_second is not None:
        due = per_second * load.window_seconds
        more = DEVIATIONS * math.sqrt(due) if load.has_random_arrivals else 1.0
        rate = plain_in(per_second, UNITS["/s"])
        return Room(high=(due + more) / load.window_seconds, why_high=f"no more than {rate} are asked for")
    if load.window_seconds is not None and load.clients is not None:
        return _below_closed(load.clients, load.window_seconds, load, facts)
    return NO_ROOM_KNOWN


def _below_closed(c: int, window_seconds: float, load: Load, facts: ConditionDesign) -> Room:
    """Below what so many requests in flight can get, with those that the window began with."""
    waits = facts.waits
    mean, longest = mean_wait(waits), max((wait.seconds for wait in waits), default=0.0)
    if mean <= 0:
        return NO_ROOM_KNOWN
    # Of a mix, the requests that were begun in the window may lack one of each kind in a cycle, and their waits may go
    # on beyond its end.
    spare = c if len(waits) == 1 else (c + len(waits)) * longest / mean + c
    most = (c / mean + spare / window_seconds) / (1 - SLEW)
    rate = figure_in(c / mean, UNITS["/s"])
    return Room(high=most, why_high=f"{in_flight_in_words(load)} get {rate} at most, as {waits_in_words(waits)}")


def bound_on_speed(reference: ConditionRef, design: Design) -> tuple[float, str] | None:
    """Answers, or operations, a second that the waits alone allow with the settings that a condition has, and why.

    Who does not keep to its settings may be faster: this is what the contract allows, and no law of nature.

    Returns:
        None where nothing is known of its waits, or the rate is given.
    """
    load, facts = design.condition(reference).load, design.facts_of(reference)
    if facts.least_job_seconds_as_set and facts.operations:
        why = f"its waits alone take {seconds_in_words(facts.least_job_seconds_as_set)}"
        return facts.operations / facts.least_job_seconds_as_set, why
    mean = mean_wait(facts.waits)
    if mean <= 0 or load.clients is None:
        return None
    at_once = min([*facts.at_once.values(), load.clients])
    who = in_flight_in_words(load) if at_once == load.clients else f"{count(at_once, 'request')} at once"
    rate = at_once / mean
    if load.fixed_requests is not None and len(facts.waits) == 1:
        rate = load.fixed_requests / (math.ceil(load.fixed_requests / at_once) * mean)
    return rate, f"{who} ÷ {seconds_in_words(mean)}"


def factor_in_words(ratio: float) -> str:
    """`1.5 times`."""
    return f"{plain(ratio)} times"
