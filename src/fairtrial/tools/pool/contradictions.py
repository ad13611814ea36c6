"""Accounts that contradict themselves: figures of one trial that no engine prints beside each other.

The engine that measured is trusted by the lab, and its judge does not ask. A record from elsewhere is a text.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from fairtrial.base.printable import printable
from fairtrial.record.engine_summary import Distribution, EngineSummary
from fairtrial.record.histogram import read_histogram
from fairtrial.record.model import TrialRecord

CLOSE = 1e-6
"""A share, for what was added up or divided in another order."""
BUCKET = 1e-3
"""A share, by the three significant digits of the engine's histograms: HdrHistogram, `numberOfSignificantValueDigits`.
No bucket is wider. Both figures are of the same buckets; but one may be cut off by the longest time."""
NANOSECOND = 1e-9
LONGEST_NAME = 80
TENTHS_SECONDS = 600
"""Of a longer window not all tenths are kept."""


def contradiction(trials: Sequence[TrialRecord]) -> str | None:
    """The first in these trials, with its figures: `trial 3: 20 right answers of 10`; None if there is none."""
    accounts = ((trial, trial.engine) for trial in trials if trial.engine is not None)
    return next((f"trial {trial.index}: {what}" for trial, engine in accounts for what in _of_account(engine)), None)


def _of_account(engine: EngineSummary) -> Iterator[str]:
    verified = engine.verified
    if verified > engine.answers:
        yield f"{verified:,} right answers of {engine.answers:,}"
    if not math.isclose(engine.goodput_per_second * engine.window_seconds, verified, rel_tol=CLOSE, abs_tol=CLOSE):
        yield f"{engine.goodput_per_second:,.1f}/s over {engine.window_seconds:g} s are not {verified:,} right answers"
    if engine.run_verified is not None and engine.run_verified < verified:
        yield f"{verified:,} right answers in the window, {engine.run_verified:,} in the whole run"
    parts = {"seconds": [each.verified for each in engine.series], "requests": [each.verified for each in engine.mix]}
    if engine.tenths is not None and engine.window_seconds <= TENTHS_SECONDS:
        parts["tenths of seconds"] = engine.tenths.verified
    for name, counts in parts.items():
        if counts and sum(counts) != verified:
            yield f"{verified:,} right answers, and {sum(counts):,} in all {name} together"
    for name, times in _all_times(engine):
        yield from (f"{name}: {what}" for what in (*_of_times(times), *_of_histogram(times)))
    if engine.picks is not None:
        answered, pairs = engine.picks.answered, engine.picks.pairs
        if 2 * pairs > answered * (answered - 1) or max(engine.picks.distinct, sum(engine.picks.bins)) > answered:
            yield f"{answered:,} rows answered, {pairs:,} pairs of them alike"
    way = engine.under_way
    if way is not None and way.mean_requests is not None:
        seconds = way.ended_seconds + way.at_end_seconds - way.at_start_seconds
        if not math.isclose(way.mean_requests * engine.window_seconds, seconds, rel_tol=CLOSE, abs_tol=CLOSE):
            yield f"{way.mean_requests:.1f} requests under way in the mean, of {seconds:.3f} s in all"


def _all_times(engine: EngineSummary) -> Iterator[tuple[str, Distribution | None]]:
    for name in ("service_time", "response_time", "first_byte_time", "send_lag", "connect_time"):
        yield name, getattr(engine, name)
    for share in engine.mix:
        for name in ("service_time", "response_time", "first_byte_time"):
            yield f"{name} of {printable(share.name, LONGEST_NAME)}", getattr(share, name)


def _of_times(times: Distribution | None) -> Iterator[str]:
    if times is None or times.count == 0:
        return
    names = sorted(times.percentiles, key=float)
    ascending = [times.min_seconds, *(times.percentiles[name] for name in names), times.max_seconds]
    values = [each for each in ascending if each is not None]
    if any(not lower <= higher * (1 + CLOSE) for lower, higher in pairwise(values)):
        yield f"its percentiles do not ascend from {values[0]:g} to {values[-1]:g} s"
    if times.mean_seconds is not None and not values[0] / (1 + CLOSE) <= times.mean_seconds <= values[-1] * (1 + CLOSE):
        yield f"a mean of {times.mean_seconds:g} s from {values[0]:g} to {values[-1]:g} s"


def _of_histogram(times: Distribution | None) -> Iterator[str]:
    """What the histogram beside the figures does not give; nothing where none is kept."""
    if times is None or not times.hdr_base64:
        return
    try:
        histogram = read_histogram(times.hdr_base64)
    except ValueError as error:
        yield f"its histogram is none: {error}"
        return
    if histogram.count != times.count:
        yield f"{times.count:,} samples, and {histogram.count:,} in its histogram"
    elif times.count:
        longest = math.inf if times.max_seconds is None else times.max_seconds
        for name, seconds in times.percentiles.items():
            if seconds is not None:
                of_histogram = min(histogram.at(float(name), times.bounds_from_seconds), longest)
                if not math.isclose(seconds, of_histogram, rel_tol=BUCKET, abs_tol=NANOSECOND):
                    yield f"p{name} is {seconds:g} s, and {of_histogram:g} s in its histogram"
