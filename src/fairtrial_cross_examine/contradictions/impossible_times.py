"""Minimum, mean, percentiles, maximum and deviation that no sample can have."""

import math
from collections.abc import Iterator
from itertools import pairwise

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun

FEWEST_ASSUMED = 1000
"""Answers, where their number is not printed."""


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where a figure that cannot be larger than another is, beyond the rounding of both."""
    for run in evidence.runs:
        for lower, upper, first, second in _pairs(run):
            room = kind.threshold("share") * max(first.value, second.value)
            if first.low > second.high + room:
                says = (
                    f"The {lower} is {time(first.value)}, and the {upper} is {time(second.value)}: it cannot be less."
                )
                yield kind.contradiction([run.name], says, {lower: time(first.value), upper: time(second.value)})
        yield from _below_zero(kind, run)
        yield from _spread(kind, run)
        yield from _mean(kind, run)


def _below_zero(kind: ContradictionKind, run: PrintedRun) -> Iterator[Contradiction]:
    """A program that reads wrk's "no time yet", the largest unsigned number, as a signed one has such a minimum."""
    minimum = run.times.minimum
    if minimum is not None and minimum.high < 0:
        says = f"The minimum is {time(minimum.value)}: no time is below zero."
        yield kind.contradiction([run.name], says, {"minimum": time(minimum.value)})


def _pairs(run: PrintedRun) -> Iterator[tuple[str, str, Figure, Figure]]:
    """Figures in the order in which every sample has them."""
    times = run.times
    ordered = [
        *([("minimum", times.minimum)] if times.minimum is not None else []),
        *((f"p{percent:g}", figure) for percent, figure in times.ordered()),
        *([("maximum", times.maximum)] if times.maximum is not None else []),
    ]
    for (lower, first), (upper, second) in pairwise(ordered):
        yield lower, upper, first, second
    if times.mean is not None and times.minimum is not None:
        yield "minimum", "mean", times.minimum, times.mean
    if times.mean is not None and times.maximum is not None:
        yield "mean", "maximum", times.mean, times.maximum


def _mean(kind: ContradictionKind, run: PrintedRun) -> Iterator[Contradiction]:
    """A mean that is not between what its percentiles allow: each share of the times lies between two of them.

    Percentiles are those of the same times, and one answer may lie on either side of each of them.
    """
    times, sample = run.times, run.sample or FEWEST_ASSUMED
    if times.mean is None or not times.percentiles or not run.of_requests:
        return
    steps = [
        (0.0, times.minimum or Figure(value=0.0)),
        *((percent / 100, figure) for percent, figure in times.ordered()),
        (1.0, times.maximum),
    ]
    least = most = 0.0
    of_least, of_most = [], []
    for (below, lower), (above, upper) in pairwise(steps):
        share = above - below
        assert lower is not None
        least += max(share - 1 / sample, 0.0) * lower.low
        of_least.append(f"{share:.4g} × {time(lower.value)}")
        if upper is not None:
            most += (share + 1 / sample) * upper.high
            of_most.append(f"{share:.4g} × {time(upper.value)}")
    room = 1 + kind.threshold("share")
    if times.maximum is not None and times.mean.low > most * room:
        yield _refuted(kind, run, f"is at most {time(most)}", " + ".join(of_most))
    elif times.mean.high * room < least:
        yield _refuted(kind, run, f"is at least {time(least)}", " + ".join(of_least))


def _refuted(kind: ContradictionKind, run: PrintedRun, bound: str, terms: str) -> Contradiction:
    assert run.times.mean is not None
    mean = time(run.times.mean.value)
    says = f"The mean is {mean}, but by the percentiles it {bound}: {terms}."
    return kind.contradiction([run.name], says, {"mean": mean, "by the percentiles": bound, "terms": terms})


def _spread(kind: ContradictionKind, run: PrintedRun) -> Iterator[Contradiction]:
    """A deviation that is larger than mean and extremes allow: σ² ≤ (max - mean)(mean - min), by Bhatia and Davis."""
    times = run.times
    if times.mean is None or times.maximum is None or times.deviation is None:
        return
    least = times.minimum.low if times.minimum is not None else 0.0
    number = float(run.runs or run.sample or 0)
    if number < 2:
        return
    widest = max(times.maximum.high - times.mean.low, 0.0) * max(times.mean.high - least, 0.0)
    largest = math.sqrt(widest * number / (number - 1))
    if times.deviation.low <= largest * (1 + kind.threshold("share")):
        return
    says = (
        f"A deviation of {time(times.deviation.value)} is larger than any sample has whose mean is "
        f"{time(times.mean.value)} and whose maximum is {time(times.maximum.value)}: at most {time(largest)}."
    )
    figures = {"deviation": time(times.deviation.value), "largest possible": time(largest)}
    yield kind.contradiction([run.name], says, figures)


KIND = ContradictionKind(
    name="impossible-times",
    title="Times that no sample has",
    formula="0 ≤ minimum ≤ percentiles in their order ≤ maximum; minimum ≤ mean ≤ maximum; Σ share × percentile below "
    "≤ mean ≤ Σ share × percentile above; σ² ≤ (maximum - mean)(mean - minimum) × n / (n - 1) (R. Bhatia and C. Davis, "
    "American Mathematical Monthly 107 (2000), 353-357)",
    thresholds={
        "share": Threshold(
            0.01,
            "share of the figure",
            "beyond the rounding of the printed digits: histograms keep two or three digits",
        ),
    },
    ask="Are all of these figures of the same run?",
    examine=examine,
)
