"""The shape of a curve along a sweep: rising, flat, highest between two points, bent, above another at every point.

A curve has points in ascending order of the swept value, each with one value a block; points are compared by their
ratios, paired within blocks, and a ratio is that of a typical block (median.py). A shape is a statement about several
ratios at once. To uphold it, each of them has to be proven, and none needs a correction: upholding the whole wrongly
means upholding a false ratio wrongly (intersection-union: R. L. Berger, "Multiparameter hypothesis testing and
acceptance sampling", Technometrics 24 (1982), 295-304). To refute it, one of m ratios is enough, and the level is
1 - α/m (Bonferroni). That no step contradicts a shape significantly does not prove the shape, and upholds nothing here.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.equivalence import Verdict
from fairtrial.judge.statistics.median import median_intervals
from fairtrial.judge.statistics.student import LEVEL

DIP = 0.05
"""A rise may be interrupted by falls smaller than this: no measurement can prove that there is none at all."""

Curve = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Shape:
    """The verdict on a shape, and the ratio of two points that decides it."""

    verdict: Verdict
    ratio: float
    """The ratio of point `between[1]` to point `between[0]`; of `leads`, of one contender to the other; of
    `diminishing_returns`, of a point to the straight line."""
    between: tuple[int, int]
    """The two points, counted from 0, whose ratio decides, or is furthest from deciding. Where a point is compared with
    something else at the same place (`leads`, `diminishing_returns`): that point, twice."""
    interval: tuple[float, float] | None
    """The interval of that ratio, at `level`; None with fewer than MINIMUM_BLOCKS blocks."""
    level: float
    """The level at which this ratio was judged."""
    bound: float = 1.0
    """The value that the interval has to leave out for a verdict."""


def rises(curve: Curve, *, dip: float = DIP, level: float = LEVEL) -> Shape:
    """Whether the curve rises from its first point to its last, and never falls by more than `dip` between.

    Upheld if the interval of last / first lies above 1, and each later point is proven, at 5%, to lie above 1/(1+dip)
    of each earlier one. Refuted if the interval of last / first lies below 1, or if a later point is proven to lie
    below 1/(1+dip) of an earlier one, at 5% over all pairs.

    Raises:
        ValueError: fewer than two points, none or different numbers of blocks, values that are not positive, or a `dip`
            below zero.
    """
    logs = _logs(curve)
    if not 0 <= dip < math.inf:
        raise ValueError("a dip is zero or more")
    limit = -math.log1p(dip)
    last = logs.shape[0] - 1
    pairs = list(combinations(range(last + 1), 2))
    single, proof, over_all = level, 2 * level - 1, 1 - (1 - level) / len(pairs)
    steps = _between(logs, pairs)
    intervals = median_intervals(steps, [single, proof, over_all])
    typical = np.median(steps, axis=0)
    ends = pairs.index((0, last))
    if intervals is None:
        return _undecided(pairs[ends], float(typical[ends]), level)

    def shape(verdict: Verdict, pair: int, judged: int) -> Shape:
        interval, judged_at = intervals[pair][judged], (single, proof, over_all)[judged]
        return _shape(verdict, pairs[pair], float(typical[pair]), interval, judged_at, limit if judged else 0.0)

    if intervals[ends][0][1] < 0:
        return shape("refuted", ends, 0)
    deepest = min(range(len(pairs)), key=lambda pair: intervals[pair][2][1])
    if intervals[deepest][2][1] < limit:
        return shape("refuted", deepest, 2)
    if intervals[ends][0][0] <= 0:
        return shape("undecided", ends, 0)
    doubtful = min(range(len(pairs)), key=lambda pair: intervals[pair][1][0])
    if intervals[doubtful][1][0] <= limit:
        return shape("undecided", doubtful, 1)
    return shape("upheld", ends, 0)


def falls(curve: Curve, *, dip: float = DIP, level: float = LEVEL) -> Shape:
    """Whether the curve falls from its first point to its last, and never rises by more than `dip` between.

    That is, whether the inverse values rise. The ratio that is returned is that of the values themselves.

    Raises:
        ValueError: as `rises`.
    """
    _logs(curve)
    shape = rises([[1 / value for value in point] for point in curve], dip=dip, level=level)
    interval = None if shape.interval is None else (1 / shape.interval[1], 1 / shape.interval[0])
    return Shape(shape.verdict, 1 / shape.ratio, shape.between, interval, shape.level, 1 / shape.bound)


def advantage(of: Curve, to: Curve) -> Curve:
    """The ratio of `of` to `to`, two contenders in the same blocks at the same points, as a curve of its own.

    Whatever is asked of its shape compares ratios of ratios: the advantage at one point divided by that at another.

    Raises:
        ValueError: the curves have different points or blocks, fewer than two points, or values that are not positive.
    """
    ratios: list[list[float]] = np.exp(_advantage(of, to)).tolist()
    return ratios


def leads(of: Curve, to: Curve, *, level: float = LEVEL) -> Shape:
    """Whether `of` lies above `to`, two contenders in the same blocks at the same points, at every point.

    Upheld if at each point the interval of of / to lies above 1. Refuted if at one of them it lies below 1, at 5% over
    all points.

    Returns:
        The ratio of / to at the least certain point; for a refuted lead, at the point that refutes it most clearly.

    Raises:
        ValueError: as `advantage`.
    """
    ratios = _advantage(of, to).T
    return _all_above_one(ratios, [(point, point) for point in range(ratios.shape[1])], level)


def diminishing_returns(places: Sequence[float], curve: Curve, *, level: float = LEVEL) -> Shape:
    """Whether the curve rises at first, and later units of what is swept bring less than the first ones did.

    It then lies above the straight line from its first point to its last. That each step brings less than the one
    before is not asked: steps next to each other differ by too little to prove that of all.

    Upheld if the interval of second / first lies above 1, and at each point between the first and the last that of
    value / line. Refuted if one of these lies below 1, at 5% over all. Behind its highest point the curve may fall:
    returns below zero are less, too.

    Args:
        places: what was swept, for each point of the curve, ascending.

    Raises:
        ValueError: places that do not ascend or are not one a point, fewer than three points, none or different numbers
            of blocks, or values that are not positive.
    """
    logs = _logs(curve)
    _assert_ascending(places, logs)
    if len(places) < 3:
        raise ValueError("returns that diminish need three points or more")
    values = np.exp(logs)
    along = (np.asarray(places, dtype=np.float64) - places[0]) / (places[-1] - places[0])
    line = values[0] + along[:, None] * (values[-1] - values[0])
    inner = range(1, len(places) - 1)
    ratios = np.stack([logs[1] - logs[0], *(logs[point] - np.log(line[point]) for point in inner)], axis=1)
    return _all_above_one(ratios, [(0, 1), *((point, point) for point in inner)], level)


def flat(curve: Curve, margin: float, *, level: float = LEVEL) -> Shape:
    """Whether no two points of the curve differ by more than `margin`.

    Upheld if every two points are equal within [1/(1+margin), 1+margin] by two one-sided tests of 5% (equivalence.py).
    Refuted if two are proven, at 5% over all pairs, to differ by more.

    Raises:
        ValueError: fewer than two points, none or different numbers of blocks, values that are not positive, or a
            margin that is not.
    """
    logs = _logs(curve)
    if not 0 < margin < math.inf:
        raise ValueError("a margin is above zero")
    reach = math.log1p(margin)
    pairs = list(combinations(range(logs.shape[0]), 2))
    proof, over_all = 2 * level - 1, 1 - (1 - level) / len(pairs)
    differences = _between(logs, pairs)
    intervals = median_intervals(differences, [proof, over_all])
    typical = np.median(differences, axis=0)
    if intervals is None:
        widest = int(np.abs(typical).argmax())
        return _undecided(pairs[widest], float(typical[widest]), level)
    apart = max(range(len(pairs)), key=lambda pair: max(intervals[pair][1][0], -intervals[pair][1][1]))
    if max(intervals[apart][1][0], -intervals[apart][1][1]) > reach:
        beyond = math.copysign(reach, typical[apart])
        return _shape("refuted", pairs[apart], float(typical[apart]), intervals[apart][1], over_all, beyond)
    doubtful = max(range(len(pairs)), key=lambda pair: max(-intervals[pair][0][0], intervals[pair][0][1]))
    equal = max(-intervals[doubtful][0][0], intervals[doubtful][0][1]) <= reach
    verdict: Verdict = "upheld" if equal else "undecided"
    nearest = math.copysign(reach, typical[doubtful])
    return _shape(verdict, pairs[doubtful], float(typical[doubtful]), intervals[doubtful][0], proof, nearest)


def best_within(
    places: Sequence[float],
    curve: Curve,
    within: tuple[float, float],
    *,
    lowest: bool = False,
    level: float = LEVEL,
) -> Shape:
    """Whether the best point of the curve lies at a place in `within`, both ends included.

    Upheld if the best point inside is proven better than every point outside. As any of the k points inside could have
    become the best, the level is 1 - α/k. Refuted if, in the same way, a point outside is proven better than
    every point inside.

    Args:
        places: what was swept, for each point of the curve, ascending.
        lowest: the best value is the lowest.

    Returns:
        The ratio of the best point inside to the best one outside.

    Raises:
        ValueError: places that do not ascend or are not one a point, no place inside or none outside, none or
            different numbers of blocks, or values that are not positive.
    """
    logs = _logs(curve)
    _assert_ascending(places, logs)
    inside = [point for point, place in enumerate(places) if within[0] <= place <= within[1]]
    outside = [point for point in range(len(places)) if point not in inside]
    if not inside or not outside:
        raise ValueError("a best place needs points inside and outside the range it is looked for in")
    better = -logs if lowest else logs
    typical = np.median(better, axis=1)
    best_in = max(inside, key=lambda point: typical[point])
    best_out = max(outside, key=lambda point: typical[point])
    estimate = float(np.median(logs[best_in] - logs[best_out]))
    pairs = list(product(outside, inside))
    of_inside, of_outside = 1 - (1 - level) / len(inside), 1 - (1 - level) / len(outside)
    intervals = median_intervals(_between(better, pairs), [level, of_inside, of_outside])
    if intervals is None:
        return _undecided((best_out, best_in), estimate, level)
    by_pair = dict(zip(pairs, intervals, strict=True))
    verdict: Verdict = "undecided"
    judged = 0
    if all(by_pair[point, best_in][1][0] > 0 for point in outside):
        verdict, judged = "upheld", 1
    elif all(by_pair[best_out, point][2][1] < 0 for point in inside):
        verdict, judged = "refuted", 2
    low, high = by_pair[best_out, best_in][judged]
    interval = (-high, -low) if lowest else (low, high)
    return _shape(verdict, (best_out, best_in), estimate, interval, (level, of_inside, of_outside)[judged])


def peak_between(
    places: Sequence[float],
    curve: Curve,
    between: tuple[float, float],
    *,
    level: float = LEVEL,
) -> Shape:
    """Whether the curve is highest at a place in `between`, and lower on both sides: `best_within`, with points
    outside on either side.

    Raises:
        ValueError: as `best_within`, or no point below, or none above.
    """
    if not places or min(places) >= between[0] or max(places) <= between[1]:
        raise ValueError("a peak needs points on both sides of the range it is looked for in")
    return best_within(places, curve, between, level=level)


def rises_and_falls(
    places: Sequence[float],
    curve: Curve,
    between: tuple[float, float],
    *,
    dip: float = DIP,
    level: float = LEVEL,
) -> Shape:
    """Whether the curve rises to a peak at a place in `between` and falls off behind it: `peak_between`, and no two
    points on one side that contradict it by more than `dip`.

    Upheld if the peak is, and if each point is proven, at 5%, to lie above 1/(1+dip) of every point on its side that is
    further from the peak. Refuted if the peak is, or if a point is proven to lie below 1/(1+dip) of one further away;
    the peak and all these pairs get 2.5% each.

    Raises:
        ValueError: as `peak_between`, or a `dip` below zero.
    """
    if not 0 <= dip < math.inf:
        raise ValueError("a dip is zero or more")
    peak = peak_between(places, curve, between, level=level)
    before = [point for point, place in enumerate(places) if place < between[0]]
    behind = [point for point, place in enumerate(places) if place > between[1]]
    pairs = [*combinations(before, 2), *((far, near) for near, far in combinations(behind, 2))]
    if not pairs or peak.interval is None:
        return peak
    half = 1 - (1 - level) / 2
    no_peak = peak_between(places, curve, between, level=half)
    if no_peak.verdict == "refuted":
        return no_peak
    sides = _none_below(_logs(curve), pairs, dip, proof=2 * level - 1, over_all=1 - (1 - half) / len(pairs))
    if sides.verdict == "refuted" or (sides.verdict == "undecided" and peak.verdict == "upheld"):
        return sides
    return no_peak if peak.verdict == "refuted" else peak


def _none_below(
    logs: NDArray[np.float64], pairs: Sequence[tuple[int, int]], dip: float, *, proof: float, over_all: float
) -> Shape:
    """Whether the second point of no pair lies below 1/(1+dip) of the first: upheld if at the level `proof` the
    interval of each lies above, refuted if at `over_all` that of one lies below."""
    limit = -math.log1p(dip)
    steps = _between(logs, pairs)
    intervals = median_intervals(steps, [proof, over_all])
    assert intervals is not None
    typical = np.median(steps, axis=0)
    deepest = min(range(len(pairs)), key=lambda pair: intervals[pair][1][1])
    if intervals[deepest][1][1] < limit:
        return _shape("refuted", pairs[deepest], float(typical[deepest]), intervals[deepest][1], over_all, limit)
    doubtful = min(range(len(pairs)), key=lambda pair: intervals[pair][0][0])
    verdict: Verdict = "upheld" if intervals[doubtful][0][0] > limit else "undecided"
    return _shape(verdict, pairs[doubtful], float(typical[doubtful]), intervals[doubtful][0], proof, limit)


def _all_above_one(ratios: NDArray[np.float64], between: Sequence[tuple[int, int]], level: float) -> Shape:
    """Whether all ratios, whose logarithms have the shape (blocks, ratios), lie above 1: upheld if the interval of each
    does, refuted if that of one lies below, at 5% over all. The shape is that of the least certain, or the plainest."""
    typical = np.median(ratios, axis=0)
    columns = range(len(between))
    over_all = 1 - (1 - level) / len(between)
    intervals = median_intervals(ratios, [level, over_all])
    if intervals is None:
        lowest = int(typical.argmin())
        return _undecided(between[lowest], float(typical[lowest]), level)
    below = min(columns, key=lambda column: intervals[column][1][1])
    if intervals[below][1][1] < 0:
        return _shape("refuted", between[below], float(typical[below]), intervals[below][1], over_all)
    doubtful = min(columns, key=lambda column: intervals[column][0][0])
    proven = intervals[doubtful][0][0] > 0
    return _shape(
        "upheld" if proven else "undecided", between[doubtful], float(typical[doubtful]), intervals[doubtful][0], level
    )


def _assert_ascending(places: Sequence[float], logs: NDArray[np.float64]) -> None:
    if len(places) != logs.shape[0] or any(after <= before for before, after in pairwise(places)):
        raise ValueError("a curve needs ascending places, one for each point")


def _logs(curve: Curve) -> NDArray[np.float64]:
    """The logarithms of the curve's values, shape (points, blocks)."""
    if len(curve) < 2 or len({len(point) for point in curve}) != 1 or not curve[0]:
        raise ValueError("a curve needs two points or more, with as many blocks at each")
    if any(not 0 < value < math.inf for point in curve for value in point):
        raise ValueError("a curve needs positive values")
    return np.log(np.asarray(curve, dtype=np.float64))


def _advantage(of: Curve, to: Curve) -> NDArray[np.float64]:
    """The logarithm of the ratio of two curves, shape (points, blocks)."""
    logs_of, logs_to = _logs(of), _logs(to)
    if logs_of.shape != logs_to.shape:
        raise ValueError("two curves are compared over the same points and blocks")
    return logs_of - logs_to


def _between(logs: NDArray[np.float64], pairs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """The logarithm of the second point's ratio to the first's, shape (blocks, pairs)."""
    return np.stack([logs[second] - logs[first] for first, second in pairs], axis=1)


def _shape(
    verdict: Verdict,
    between: tuple[int, int],
    log_ratio: float,
    interval: tuple[float, float],
    level: float,
    log_bound: float = 0.0,
) -> Shape:
    ends = math.exp(interval[0]), math.exp(interval[1])
    return Shape(verdict, math.exp(log_ratio), between, ends, level, math.exp(log_bound))


def _undecided(between: tuple[int, int], log_ratio: float, level: float) -> Shape:
    """The shape of a curve with fewer than MINIMUM_BLOCKS blocks."""
    return Shape("undecided", math.exp(log_ratio), between, None, level)
