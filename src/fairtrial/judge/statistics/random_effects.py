"""A ratio pooled over machines by a random-effects model, and the machines that disagree with the others.

With y_i the logarithm of the ratio on machine i, s_i its standard error and τ² the variance between machines, the
weights are w_i = 1 / (s_i² + τ²) and the pooled logarithm is μ = Σ w_i y_i / Σ w_i. τ² is Paule's and Mandel's: the
value at which Q(τ²) = Σ w_i (y_i - μ)² is k - 1, its expectation over k machines; 0 if Q(0) is below that. The interval
is Hartung's and Knapp's, μ ± t_(k-1) √(q / Σ w_i) with q = Q / (k - 1), and with q of 1 at least (Röver, Knapp,
Friede). At this τ² q is 1, or below it, so that μ ± t_(k-1) / √Σ w_i is the same.

Some machines may lie, in any direction and together. If at most m do, one of the ways to leave out m machines leaves
none of these: the interval here is the hull of the pooled intervals of all ways, and of that with all machines.

A machine disagrees if it is no draw from what the others say: with μ', τ'² and w' from the others, the studentised
deviation (y_i - μ') / √(s_i² + τ'² + 1 / Σ w') has Student's distribution with k - 2 degrees of freedom. All are tried
together at 5% (Holm).

Sources: R. C. Paule and J. Mandel, "Consensus values and weighting factors", Journal of Research of the National Bureau
of Standards 87 (1982), 377-385; J. Hartung and G. Knapp, "A refined method for the meta-analysis of controlled clinical
trials with binary outcome", Statistics in Medicine 20 (2001), 3875-3889; C. Röver, G. Knapp and T. Friede,
"Hartung-Knapp-Sidik-Jonkman approach and its modification for random-effects meta-analysis with few studies", BMC
Medical Research Methodology 15 (2015), 99; W. Viechtbauer and M. W.-L. Cheung, "Outlier and influence diagnostics for
meta-analysis", Research Synthesis Methods 1 (2010), 112-125.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.distributions import student_above
from fairtrial.judge.statistics.holm import step_down
from fairtrial.judge.statistics.student import LEVEL, quantile

MINIMUM_MACHINES = 3
"""With two, the scatter between machines would rest on one difference."""
MOST_WAYS = 20_000
"""To leave out machines that may lie: some seconds."""
LEAST_ERROR = 1e-9
"""The error of a logarithm where no block differs from another."""
STEPS, CLOSE = 100, 1e-12
"""Newton's method for τ² takes so many steps at most; Q may differ from its expectation by this share in the end."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pooled:
    """A value over machines, in the unit of the values."""

    value: float
    error: float
    """its standard error"""
    between: float
    """τ, the standard deviation of true values between machines"""
    machines: int

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Two-sided, at this level."""
        reach = quantile(level, self.machines) * self.error
        return self.value - reach, self.value + reach


@dataclass(frozen=True)
class OverMachines:
    """Values over machines, of which some may lie."""

    best: Pooled
    """without the machines that disagree, as long as no more of them do than may lie"""
    disagreeing: Sequence[int]
    ways: Sequence[Pooled]
    """all machines, and each way to leave out as many as may lie"""

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """That holds whichever machines lie."""
        return hull(self.ways, level)


def lies_by_default(machines: int) -> int:
    """How many of so many machines may lie before a reader says so."""
    return int(machines > MINIMUM_MACHINES)


def log_error(low: float, high: float, level: float, blocks: int) -> float:
    """The standard error of a ratio's logarithm: half of its interval, in quantiles of Student's distribution over
    blocks.

    Few blocks have Student's interval; for many, whose interval is that of a median, it is close. It weighs machines
    against each other; the pooled interval rests on how they scatter (Hartung and Knapp).
    """
    return max(math.log(high / low) / 2 / quantile(level, blocks), LEAST_ERROR)


def over_machines(values: Floats, errors: Floats, lies: int) -> OverMachines:
    """Values with their standard errors, both of shape (machines,), of which `lies` may lie.

    Raises:
        ValueError: fewer than MINIMUM_MACHINES would be left, or there are more than MOST_WAYS to leave out so many.
    """
    odd = disagreeing(values, errors)
    places = np.setdiff1d(np.arange(values.size), odd if len(odd) <= lies else [])
    return OverMachines(pool(values[places], errors[places]), odd, pools_if_some_lie(values, errors, lies))


def pool(values: Floats, errors: Floats) -> Pooled:
    """The random-effects mean of `values` with their standard errors, both of shape (machines,).

    Raises:
        ValueError: fewer than two machines, other shapes, or an error that is not positive and finite.
    """
    if values.size < 2 or values.shape != errors.shape or not bool(((errors > 0) & np.isfinite(errors)).all()):
        raise ValueError("two machines or more are pooled, each with a standard error above 0")
    variances = errors**2
    between = _between(values, variances)
    weights = 1 / (variances + between)
    mean = float(weights @ values / weights.sum())
    return Pooled(mean, 1 / math.sqrt(float(weights.sum())), math.sqrt(between), values.size)


def _between(values: Floats, variances: Floats) -> float:
    """τ². Q falls and is convex in it: Newton's steps from 0 never pass the place where Q is its expectation."""
    between, expected = 0.0, values.size - 1
    for _ in range(STEPS):
        weights = 1 / (variances + between)
        squares = (values - weights @ values / weights.sum()) ** 2
        excess = float(weights @ squares) - expected
        if excess <= CLOSE * expected:
            break
        between += excess / float(weights**2 @ squares)
    return between


def pools_if_some_lie(values: Floats, errors: Floats, lies: int) -> list[Pooled]:
    """All machines pooled, and each way to leave `lies` of them out: one of them is the pool of the honest.

    Raises:
        ValueError: fewer than MINIMUM_MACHINES would be left, or there are more than MOST_WAYS to leave out so many.
    """
    if values.size - lies < MINIMUM_MACHINES or math.comb(values.size, lies) > MOST_WAYS:
        raise ValueError(f"of {values.size} machines, {lies} cannot be left out")
    subsets = {tuple(range(values.size)), *combinations(range(values.size), values.size - lies)}
    return [pool(values[list(each)], errors[list(each)]) for each in subsets]


def hull(pools: Sequence[Pooled], level: float = LEVEL) -> tuple[float, float]:
    """From the least lower end of their intervals to the greatest upper one."""
    intervals = [each.interval(level) for each in pools]
    return min(low for low, _ in intervals), max(high for _, high in intervals)


def disagreeing(values: Floats, errors: Floats, level: float = LEVEL) -> list[int]:
    """The places of the machines that are no draw from what the others say; none below MINIMUM_MACHINES + 1 of them."""
    if values.size <= MINIMUM_MACHINES:
        return []

    def p_value(place: int) -> float:
        rest = np.arange(values.size) != place
        others = pool(values[rest], errors[rest])
        spread = math.sqrt(errors[place] ** 2 + others.between**2 + others.error**2)
        deviation = abs(values[place] - others.value) / spread
        return 2 * float(student_above(np.array([deviation]), values.size - 2)[0])

    p_values = [p_value(place) for place in range(values.size)]
    decided = step_down(p_values, level, lambda p, at_level, _: p < 1 - at_level, bool)
    return [place for place, disagrees in enumerate(decided) if disagrees]
