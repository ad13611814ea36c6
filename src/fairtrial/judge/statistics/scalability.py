"""How throughput grows with load: the Universal Scalability Law, where it holds.

    X(N) = λ N / (1 + σ (N - 1) + κ N (N - 1))

N is what is raised: connections, processes, instances. λ is the throughput of one, σ the share of the work that must
wait its turn (contention), κ the price of every pair agreeing with each other (coherency). With σ < 1 and κ > 0
throughput is highest at N* = √((1 - σ) / κ).

Logarithms of the throughputs are fitted by least squares with λ > 0, 0 ≤ σ ≤ 1 and κ ≥ 0: a tenth too much counts the
same at one connection as at a thousand. (Without logarithms, the largest throughputs alone would set the curve, and λ
could be 40% off what was measured at N = 1, as in the example of the test.) The points are geometric means over blocks.
Intervals come from the jackknife over blocks: with θ the fit over all n blocks and θ_i that without block i, the
pseudo-values n θ - (n - 1) θ_i get the interval of a mean (student.py). For these fits σ and κ
may fall below zero, and the interval is cut off there afterwards: a fit that stops at zero would not scatter, and its
interval would be far too narrow. N* goes through as κ / (1 - σ) = 1/N*², which stays finite where a fit has no peak:
then the interval of N* is open above.

A fit is refused, and says nothing of σ, κ and N*, if there are fewer than six points, if it misses the points by more
than 10% (root mean square), or by more than 5% and by more than the blocks' own scatter explains (F test of the lack of
fit at 1%). R² is no criterion: it is near 1 for any rising curve, and near 0 for a perfect fit to a flat one.
A peak beyond the largest load, or before the smallest, is not reported: the law is no prophecy.

Sources: N. J. Gunther, Guerrilla Capacity Planning (2007), chapters 4 and 5, for the law and "at least six points"; R.
G. Miller, "The jackknife: a review", Biometrika 61 (1974), 1-15; N. R. Draper and H. Smith, Applied Regression
Analysis, 3rd edition (1998), section 2.1, for the lack of fit. 10%, 5% and 1% are this project's choice.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.distributions import f_above
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.least_squares import least_squares
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS, mean_interval

FEWEST_POINTS = 6
LARGEST_MISS = 0.10
NOTABLE_MISS = 0.05
LACK_OF_FIT_SIZE = 0.01
NEGLIGIBLE = 1e-6
"""A contribution to the denominator, at the largest load, that counts as zero."""
LEAST_DENOMINATOR = 0.01


@dataclass(frozen=True)
class Law:
    """The law with its three parameters."""

    single: float
    """λ: the throughput at N = 1, in the unit of the throughputs."""
    contention: float
    """σ, 0 to 1."""
    coherency: float
    """κ, 0 or more."""

    def at(self, load: float) -> float:
        """The throughput at `load`."""
        waiting = self.contention * (load - 1) + self.coherency * load * (load - 1)
        return self.single * load / (1 + waiting)

    @property
    def peak(self) -> float:
        """The load of the highest throughput; infinite if it never falls."""
        if self.coherency <= 0:
            return math.inf
        return math.sqrt((1 - self.contention) / self.coherency)


@dataclass(frozen=True)
class Scalability:
    """A fit that holds."""

    law: Law
    single: Estimate
    contention: Estimate
    coherency: Estimate
    peak: Estimate | None
    """The load of the highest throughput, only if it lies within the data. Its interval may be open above
    (infinite)."""
    miss: float
    """Root mean square of the logarithms' residuals: about the relative error of a point."""


@dataclass(frozen=True)
class PoorFit:
    """Why there is no fit: the law does not hold for these points, or they are too few."""

    reason: str
    miss: float | None


def scalability(
    loads: Sequence[float], curve: Sequence[Sequence[float]], level: float = LEVEL
) -> Scalability | PoorFit:
    """Fit the law to `curve`, which has for each of `loads`, ascending, one throughput a block.

    Raises:
        ValueError: loads that do not ascend from 1 or more, another number of points than of loads, points without
            blocks or with different numbers of them, or a throughput that is not positive.
    """
    places = np.asarray(loads, dtype=np.float64)
    if len(curve) != len(loads) or any(load < 1 for load in loads) or bool((np.diff(places) <= 0).any()):
        raise ValueError("a curve needs a point for each of its loads, which ascend from 1 or more")
    if len({len(point) for point in curve}) > 1 or any(len(point) == 0 for point in curve):
        raise ValueError("a curve needs as many blocks at each point")
    if any(not 0 < value < math.inf for point in curve for value in point):
        raise ValueError("a curve needs positive throughputs")
    if len(loads) < FEWEST_POINTS:
        return PoorFit(f"{len(loads)} points are too few for three parameters: at least {FEWEST_POINTS}", None)
    logs = np.log(np.asarray(curve, dtype=np.float64))
    law = fit_law(places, np.exp(logs.mean(axis=1)))
    residuals = logs.mean(axis=1) - np.log([law.at(load) for load in loads])
    miss = float(np.sqrt((residuals**2).mean()))
    if miss > LARGEST_MISS:
        return PoorFit(f"the law misses the points by {miss:.0%}, more than {LARGEST_MISS:.0%}", miss)
    if miss > NOTABLE_MISS and _lacks_fit(logs, residuals):
        return PoorFit(f"the law misses the points by {miss:.0%}, more than the blocks' scatter explains", miss)
    free, without = _jackknife(places, logs)
    blocks = logs.shape[1]

    def interval(read: Callable[[Law], float]) -> tuple[float, float] | None:
        pseudo = np.array([blocks * read(free) - (blocks - 1) * read(each) for each in without])
        return mean_interval(pseudo, level)

    single = _exponential(interval(lambda each: math.log(each.single)))
    contention = _clipped(interval(lambda each: each.contention), 1.0)
    coherency = _clipped(interval(lambda each: each.coherency), math.inf)
    peak = None
    if loads[0] < law.peak < loads[-1]:
        peak = Estimate(estimate=law.peak, interval=_peaks(interval(_inverse_square_peak)), blocks=blocks)
    return Scalability(
        law,
        Estimate(estimate=law.single, interval=single, blocks=blocks),
        Estimate(estimate=law.contention, interval=contention, blocks=blocks),
        Estimate(estimate=law.coherency, interval=coherency, blocks=blocks),
        peak,
        miss,
    )


def fit_law(
    loads: NDArray[np.float64], throughputs: NDArray[np.float64], *, logarithmic: bool = True, bounded: bool = True
) -> Law:
    """The law that fits `throughputs` at `loads` with the least squares of the logarithms, or of the values themselves.

    The search starts at the solution of N/X = 1/λ + σ/λ (N - 1) + κ/λ N (N - 1), which is linear in its coefficients.
    Where a bound holds, the best fit lies within it, or on it: each way to lie on bounds is fitted, and the best that
    keeps to the others is taken.

    Args:
        bounded: σ and κ are at least zero; otherwise they may be any that leave the denominator above zero.
    """
    columns = np.stack([np.ones_like(loads), loads - 1, loads * (loads - 1)], axis=1)
    inverse = loads / throughputs
    guess = np.linalg.lstsq(columns / inverse[:, None], np.ones_like(loads))[0]
    single = 1 / guess[0] if guess[0] > 0 else float((throughputs / loads).max())
    scale = np.array([1.0, 1 / columns[-1, 1], 1 / columns[-1, 2]])
    start = np.array([math.log(single), max(guess[1] * single, 0), max(guess[2] * single, 0)]) / scale
    curve = _Curve(loads, throughputs, columns * scale, logarithmic)
    most = columns[-1, 1]
    contentions = (None, most, 0.0) if bounded else (None, most)
    fits = [
        least_squares(curve.residuals, curve.slopes, start, {1: contention, 2: coherency})
        for contention in contentions
        for coherency in ((None, 0.0) if bounded else (None,))
    ]
    least = 0.0 if bounded else -math.inf
    possible = [fit for fit in fits if least <= fit[1] <= most and least <= fit[2]]
    scaled = min(possible, key=lambda fit: float((curve.residuals(fit) ** 2).sum()))
    if bounded:
        # A coherency just above zero would put the peak at 10⁹.
        scaled[1:] = np.where(scaled[1:] < NEGLIGIBLE, 0.0, scaled[1:])
    log_single, contention, coherency = scaled * scale
    return Law(math.exp(log_single), float(contention), float(coherency))


@dataclass(frozen=True)
class _Curve:
    """Points, and how far a law misses them: its parameters are ln λ, and σ and κ in the units of `columns`."""

    loads: NDArray[np.float64]
    throughputs: NDArray[np.float64]
    columns: NDArray[np.float64]
    logarithmic: bool

    def residuals(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The law less the points: of their logarithms, or of the throughputs themselves."""
        logs = self._logs(parameters)
        return logs - np.log(self.throughputs) if self.logarithmic else np.exp(logs) - self.throughputs

    def slopes(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """The residuals' derivatives by the parameters."""
        slopes = -self.columns / self._denominators(parameters)[:, None]
        slopes[:, 0] = 1.0
        return slopes if self.logarithmic else slopes * np.exp(self._logs(parameters))[:, None]

    def _logs(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        logs: NDArray[np.float64] = parameters[0] + np.log(self.loads) - np.log(self._denominators(parameters))
        return logs

    def _denominators(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum(1 + self.columns[:, 1:] @ parameters[1:], LEAST_DENOMINATOR)


def _jackknife(loads: NDArray[np.float64], logs: NDArray[np.float64]) -> tuple[Law, list[Law]]:
    """The fit over all blocks, and the fits without one block each; the latter need MINIMUM_BLOCKS blocks."""
    whole = fit_law(loads, np.exp(logs.mean(axis=1)), bounded=False)
    blocks = logs.shape[1]
    if blocks < MINIMUM_BLOCKS:
        return whole, []
    means = (np.exp(np.delete(logs, block, axis=1).mean(axis=1)) for block in range(blocks))
    return whole, [fit_law(loads, each, bounded=False) for each in means]


def _lacks_fit(logs: NDArray[np.float64], residuals: NDArray[np.float64]) -> bool:
    """Whether the residuals exceed what the blocks' scatter explains, with the effects of whole blocks removed."""
    points, blocks = logs.shape
    if blocks < 2:
        return False
    scatter = logs - logs.mean(axis=1, keepdims=True) - logs.mean(axis=0) + logs.mean()
    degrees = (points - 1) * (blocks - 1)
    pure = float((scatter**2).sum()) / degrees
    lack = blocks * float((residuals**2).sum()) / (points - 3)
    if pure == 0:
        return True
    return f_above(lack / pure, points - 3, degrees) < LACK_OF_FIT_SIZE


def _inverse_square_peak(law: Law) -> float:
    return law.coherency / max(1 - law.contention, 1e-9)


def _peaks(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    if interval is None or interval[1] <= 0:
        return None
    low, high = interval
    return 1 / math.sqrt(high), 1 / math.sqrt(low) if low > 0 else math.inf


def _exponential(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if interval is None else (math.exp(interval[0]), math.exp(interval[1]))


def _clipped(interval: tuple[float, float] | None, most: float) -> tuple[float, float] | None:
    """The interval cut to the possible values of its parameter."""
    return None if interval is None else (min(max(interval[0], 0.0), most), min(max(interval[1], 0.0), most))
