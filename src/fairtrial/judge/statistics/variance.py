"""Where the scatter of a figure comes from: builds, starts, or a window that is too short.

On the logarithm, the figure of one trial is

    y = μ + build + start + window,

each with a variance of its own; `window` is what a longer measurement would average away. The variances are found
by the analysis of variance (method of moments): mean squares of builds, of starts within builds and of parts of a
window within a start are set equal to their expectations. For trials i with N values in all, n_bi in trial i of build b
and n_b in build b,

    E(MS within)  = σ²w
    E(MS starts)  = σ²w + k1 σ²s,             k1 = (N - Σ_b Σ_i n_bi²/n_b) / (starts - builds)
    E(MS builds)  = σ²w + k2 σ²s + k3 σ²b,    k2 = (Σ_b Σ_i n_bi²/n_b - Σ n_bi²/N) / (builds - 1)
                                              k3 = (N - Σ_b n_b²/N) / (builds - 1)

A component whose estimate is negative is zero.

Neighbouring seconds of a trial are autocorrelated. Taken as independent, slow waves within a window would look like
differences between starts. So a window of T seconds is cut into ⌊T/b⌋ parts of b = ⌊√T⌋ seconds, whose means
are nearly independent where the waves are shorter than that (the method of batch means).

Sources: S. R. Searle, G. Casella and C. E. McCulloch, Variance Components (1992), chapter 3 (one way, unbalanced); R.
R. Sokal and F. J. Rohlf, Biometry, chapter 10 (nested, unequal sizes). Batch means: A. M. Law, Simulation Modeling and
Analysis, chapter 9; b = √T: J. M. Flegal and G. L. Jones, "Batch means and spectral variance estimators in Markov chain
Monte Carlo", Annals of Statistics 38 (2010), 1034-1070.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairtrial.judge.statistics.distributions import f_above


@dataclass(frozen=True)
class Stratum:
    """A line of the table of variances: what differs between the units of one level."""

    degrees: int
    mean_square: float
    variance: float
    """The estimated component: of units of this level, in squared units of the values; never negative."""
    p_value: float | None
    """The p-value of a component of zero: the mean square against the next lower one's, F-distributed. None: it is the
    lowest. Exact for as many values in each unit, near enough otherwise."""


@dataclass(frozen=True)
class Split:
    """The variance of one trial's figure, on the logarithm, by where it comes from."""

    builds: Stratum | None
    """Between builds of the same source. None with fewer than two builds."""
    starts: Stratum
    """Between fresh starts (of the same build, where builds are known)."""
    parts: Stratum
    """Between parts of the window of one start."""
    parts_per_trial: float
    """How many parts a trial's window has: the harmonic mean over the trials."""
    part_seconds: int

    @property
    def window(self) -> float:
        """The variance that the finite window adds to a trial's figure."""
        return self.parts.variance / self.parts_per_trial

    def spread(self, longer: float = 1.0) -> float:
        """The standard deviation of a trial's figure on the logarithm, were its window `longer` times as long."""
        builds = 0.0 if self.builds is None else self.builds.variance
        return math.sqrt(builds + self.starts.variance + self.window / longer)

    @property
    def shares(self) -> dict[str, float]:
        """The share of the variance of a trial's figure, by `builds`, `starts` and `window`; all zero if nothing
        varies."""
        variances = {"starts": self.starts.variance, "window": self.window}
        if self.builds is not None:
            variances = {"builds": self.builds.variance, **variances}
        total = sum(variances.values())
        return {name: variance / total if total > 0 else 0.0 for name, variance in variances.items()}


def split(series: Sequence[Sequence[float]], builds: Sequence[str] | None = None) -> Split:
    """Split the variance of a figure over trials of one condition.

    Args:
        series: for each trial its figure second by second (not of equal length necessarily).
        builds: for each trial which build it ran, if several builds of the same source were tried.

    Raises:
        ValueError: fewer than two trials, a trial with fewer than two parts, a part whose mean is not positive,
            `builds` of another length than `series`, or no build that was started twice.
    """
    if len(series) < 2:
        raise ValueError("a split of the variance needs at least two trials")
    if builds is not None and len(builds) != len(series):
        raise ValueError("a split of the variance needs a build for each trial")
    shortest = min(len(seconds) for seconds in series)
    length = max(1, math.isqrt(shortest))
    parts = [_batch_means(seconds, length) for seconds in series]
    if any(each.size < 2 for each in parts):
        raise ValueError("a split of the variance needs at least two seconds of each trial")
    if any(not bool((each > 0).all()) for each in parts):
        raise ValueError("a split of the variance needs positive figures")
    build_names = builds or [""] * len(series)
    groups = [
        [np.log(part) for part, build in zip(parts, build_names, strict=True) if build == name]
        for name in dict.fromkeys(build_names)
    ]
    harmonic = len(parts) / sum(1 / each.size for each in parts)
    top, starts, within = nested(groups)
    return Split(top, starts, within, harmonic, length)


def nested(groups: Sequence[Sequence[NDArray[np.float64]]]) -> tuple[Stratum | None, Stratum, Stratum]:
    """The analysis of variance of values within units within groups, unbalanced.

    Returns:
        The strata of groups (None for a single one), of units within groups, and of values within units.

    Raises:
        ValueError: no group has two units, or no unit two values.
    """
    sizes = [np.array([unit.size for unit in group], dtype=np.float64) for group in groups]
    count_groups, count_units = len(groups), sum(len(group) for group in groups)
    total = float(sum(size.sum() for size in sizes))
    if count_units in (count_groups, total):
        raise ValueError("an analysis of variance needs two units in a group and two values in a unit")
    group_means = [float(np.concatenate(group).mean()) for group in groups]
    grand = float(np.concatenate([unit for group in groups for unit in group]).mean())
    squares_within = sum(float(((unit - unit.mean()) ** 2).sum()) for group in groups for unit in group)
    squares_units = sum(
        unit.size * (float(unit.mean()) - mean) ** 2
        for group, mean in zip(groups, group_means, strict=True)
        for unit in group
    )
    squares_groups = sum(float(size.sum()) * (mean - grand) ** 2 for size, mean in zip(sizes, group_means, strict=True))
    by_group = sum(float((size**2).sum() / size.sum()) for size in sizes)

    degrees_within = round(total) - count_units
    mean_within = squares_within / degrees_within
    within = Stratum(degrees_within, mean_within, mean_within, None)

    degrees_units = count_units - count_groups
    mean_units = squares_units / degrees_units
    variance_units = max(0.0, (mean_units - mean_within) * degrees_units / (total - by_group))
    units = Stratum(degrees_units, mean_units, variance_units, _p_value(mean_units, degrees_units, within))
    if count_groups < 2:
        return None, units, within

    degrees_groups = count_groups - 1
    mean_groups = squares_groups / degrees_groups
    times_units = (by_group - sum(float((size**2).sum()) for size in sizes) / total) / degrees_groups
    times_groups = (total - sum(float(size.sum()) ** 2 for size in sizes) / total) / degrees_groups
    rest = mean_within + times_units * variance_units
    return (
        Stratum(
            degrees_groups,
            mean_groups,
            max(0.0, (mean_groups - rest) / times_groups),
            _p_value(mean_groups, degrees_groups, units),
        ),
        units,
        within,
    )


def _batch_means(seconds: Sequence[float], length: int) -> NDArray[np.float64]:
    whole = len(seconds) // length
    means: NDArray[np.float64] = np.asarray(seconds[: whole * length], dtype=np.float64).reshape(whole, length).mean(1)
    return means


def _p_value(mean_square: float, degrees: int, against: Stratum) -> float:
    if against.mean_square == 0:
        return 1.0 if mean_square == 0 else 0.0
    return f_above(mean_square / against.mean_square, degrees, against.degrees)
