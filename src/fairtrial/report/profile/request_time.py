"""Where the time of a request goes: the parts of its mean response time, which add up to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fairtrial.base.formatting import figure, level_in_words, span
from fairtrial.judge.statistics.student import LEVEL, mean_interval
from fairtrial.record.profile import KernelCounters, Profile, ShortLoad, TimedRoundTrips, Unread
from fairtrial.report.profile.counters import MICRO, CounterRow

ALONE = (
    "One request at a time, so that none waits for another. "
    f"The parts of the mean response time, which add up to it, with {level_in_words(LEVEL)} intervals over five short "
    "loads. Rows of the database are parts of the wait for it; `meanwhile` is in other rows, and in no sum. What is "
    "left is `elsewhere`, and below zero where more is done than a request waits for: beside it, or on several "
    "processors at once."
)
LOADED = "The same under its own load, in which a request waits for others, too."

Seconds = Callable[[ShortLoad], float | None]
"""The seconds of each answer; None: not known."""


@dataclass(frozen=True)
class _Part:
    title: str
    of: Seconds


def _ran(counted: KernelCounters) -> float:
    """Older kernels count ticks alone."""
    seconds = counted.cpu_user_seconds + counted.cpu_system_seconds
    return seconds if counted.ran_seconds is None else counted.ran_seconds


def _waited(counted: KernelCounters) -> float | None:
    return counted.waited_seconds


def _each(load: ShortLoad, counts: KernelCounters | TimedRoundTrips | None, seconds: float | None) -> float | None:
    """The seconds for each answer, of so many in the window of these counts: it is longer than the load's by the moment
    that it takes to read them."""
    if counts is None or seconds is None or counts.window_seconds <= 0:
        return None
    return seconds * load.window_seconds / counts.window_seconds / load.answers


def _of_tree(
    tree: Callable[[ShortLoad], KernelCounters | None], seconds: Callable[[KernelCounters], float | None]
) -> Seconds:
    return lambda load: _each(load, counts := tree(load), None if counts is None else seconds(counts))


def _of_round_trips(seconds: Callable[[TimedRoundTrips], float]) -> Seconds:
    return lambda load: _each(load, load.round_trips, None if load.round_trips is None else seconds(load.round_trips))


def _of_unread(number: Callable[[Unread], float | None]) -> Seconds:
    """The share of the requests under way that are unread is the share of their time, by Little's law for both."""

    def of(load: ShortLoad) -> float | None:
        mean = None if load.unread is None else number(load.unread)
        if mean is None or not load.requests_under_way:
            return None
        return mean / load.requests_under_way * load.response_seconds

    return of


def _sum(load: ShortLoad, parts: Sequence[_Part]) -> float:
    return sum(part.of(load) or 0.0 for part in parts)


DATABASE = _Part("waiting for the database", _of_round_trips(lambda trips: trips.service_seconds))
OF_DATABASE = (
    _Part("database, on a processor", _of_tree(lambda load: load.service, _ran)),
    _Part("database, waiting for a processor", _of_tree(lambda load: load.service, _waited)),
)
"""Parts of the wait for it, or of the whole where that is not known."""
BEFORE = (
    _Part("due, and not yet sent", lambda load: load.unsent_seconds),
    _Part("unread request, before the process", _of_unread(lambda unread: unread.requests)),
    _Part("stack, on a processor", _of_tree(lambda load: load.server, _ran)),
)
BEHIND = (
    _Part("the lab's proxy before the database", _of_round_trips(lambda trips: trips.proxy_seconds)),
    _Part("unread answer, behind the process", _of_unread(lambda unread: unread.answers)),
)


def _left_of_database(load: ShortLoad) -> float | None:
    seconds = DATABASE.of(load)
    return None if seconds is None else seconds - _sum(load, OF_DATABASE)


def _left(load: ShortLoad) -> float:
    database = OF_DATABASE if DATABASE.of(load) is None else (DATABASE,)
    return load.response_seconds - _sum(load, (*BEFORE, *database, *BEHIND))


ROWS = (
    _Part("response time", lambda load: load.response_seconds),
    *BEFORE,
    DATABASE,
    *OF_DATABASE,
    _Part("database, elsewhere: disks, locks, the way", _left_of_database),
    *BEHIND,
    _Part("elsewhere: queues and locks within, sleeps, the way", _left),
    # A process that was woken and has no processor yet has not read the request: the queue has this wait as well.
    _Part("meanwhile: stack, waiting for a processor", _of_tree(lambda load: load.server, _waited)),
)


def alone_rows(profiles: Sequence[Profile]) -> list[CounterRow]:
    """A row for each part that is known of any contender with one client; none where nobody was loaded so."""
    return _rows([profile.alone for profile in profiles])


def loaded_rows(profiles: Sequence[Profile]) -> list[CounterRow]:
    """The same of contenders under their own load."""
    return _rows([profile.loaded for profile in profiles])


TIMES = (("one request at a time", alone_rows, ALONE), ("under its own load", loaded_rows, LOADED))
"""Title, rows and explanation of each table."""


def _rows(loads: Sequence[Sequence[ShortLoad]]) -> list[CounterRow]:
    rows = []
    for part in ROWS:
        values, intervals = zip(*(_value(part, each) for each in loads), strict=True)
        rows.append(CounterRow(part.title, "µs", values, intervals))
    return [row for row in rows if set(row.values) != {"–"}]


def _value(part: _Part, loads: Sequence[ShortLoad]) -> tuple[str, str]:
    """`612` and `(598 to 626)`, in microseconds."""
    values = [MICRO * value for load in loads if (value := part.of(load)) is not None]
    if not values:
        return "–", ""
    interval = mean_interval(np.array(values), LEVEL)
    return figure(float(np.mean(values))), "" if interval is None else f"({span(interval)})"
