"""A figure over blocks, and the difference and the ratio of two figures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.judge.statistics.median import median_interval
from fairtrial.judge.statistics.student import LEVEL


class Estimate(Strict):
    """A figure over blocks, in the unit of its values, or a ratio, with its confidence interval."""

    estimate: float
    interval: tuple[float, float] | None = Field(description="95%, null with fewer than three blocks")
    blocks: int
    is_lower_bound: bool = Field(
        False, description="the true figure may be higher: it falls among times whose end nobody awaited"
    )
    open_above: bool = Field(False, description="the true upper end of the interval may be higher, likewise")


def over_blocks(values: Sequence[float], level: float = LEVEL) -> Estimate:
    """The median of one value a block, and the interval of this level for it: what a typical start gives.

    Figures of computers differ by factors, so both are found on the logarithm, where an interval cannot reach below
    zero. Values that are not all positive (a figure of zero) are taken as they are.

    Raises:
        ValueError: no values, or a level that is not between 0 and 1.
    """
    if not values:
        raise ValueError("an estimate needs at least one block")
    sample = np.asarray(values, dtype=np.float64)
    if not bool((sample > 0).all()):
        return Estimate(estimate=float(np.median(sample)), interval=median_interval(sample, level), blocks=sample.size)
    logs = np.log(sample)
    return Estimate(
        estimate=float(np.exp(np.median(logs))),
        interval=_exponential(median_interval(logs, level)),
        blocks=sample.size,
    )


def paired_difference(of: Sequence[float], to: Sequence[float], level: float = LEVEL) -> Estimate:
    """The difference `of` - `to`, whose i-th values stem from the same block, with its interval.

    It is that of a typical block: the median of the differences.

    Raises:
        ValueError: the lengths differ, or there are no values.
    """
    if len(of) != len(to) or not of:
        raise ValueError("a paired difference needs as many values on either side, and at least one")
    differences = np.asarray(of, dtype=np.float64) - np.asarray(to, dtype=np.float64)
    return Estimate(
        estimate=float(np.median(differences)), interval=median_interval(differences, level), blocks=differences.size
    )


def paired_ratio(of: Sequence[float], to: Sequence[float], level: float = LEVEL) -> Estimate:
    """The ratio `of` / `to`, whose i-th values stem from the same block, with its interval.

    It is that of a typical block, the median of the blocks' ratios: what slows a whole block slows both sides, and
    cancels; and one slow start in ten moves it as little as it moves the median of a figure.

    Raises:
        ValueError: the lengths differ, there are no values, or one is not positive, so that no ratio exists.
    """
    if len(of) != len(to) or not of:
        raise ValueError("a paired ratio needs as many values on either side, and at least one")
    if any(value <= 0 for value in (*of, *to)):
        raise ValueError("a ratio needs positive values")
    return over_blocks([value / other for value, other in zip(of, to, strict=True)], level)


@dataclass(frozen=True)
class Resolution:
    """How finely the values of an estimate were read, in its unit; of a ratio, as shares of it."""

    step: float = 0.0
    """No interval is narrower: 0.02 for the ratio of two figures read in steps of 1% each. Where all blocks show the
    same step, their own interval has no width, and it is not known where in the step they lie."""
    below: float = 0.0
    """So much further down the interval reaches, as values may all have been read too high."""
    above: float = 0.0
    """So much further up it reaches, as values may all have been read too low."""

    def widen(self, middle: float, interval: tuple[float, float], *, is_ratio: bool) -> tuple[float, float]:
        """The interval of an estimate, `middle`, whose values were read so finely."""
        low, high = interval
        if is_ratio:
            low, high = min(low, middle / (1 + self.step)), max(high, middle * (1 + self.step))
            return low / (1 + self.below), high * (1 + self.above)
        return min(low, middle - self.step) - self.below, max(high, middle + self.step) + self.above


def at_resolution(estimate: Estimate, resolution: Resolution, *, is_ratio: bool = False) -> Estimate:
    """The estimate with the interval that values which were read so finely allow."""
    if estimate.interval is None:
        return estimate
    interval = resolution.widen(estimate.estimate, estimate.interval, is_ratio=is_ratio)
    return estimate.model_copy(update={"interval": interval})


def _exponential(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if interval is None else (float(np.exp(interval[0])), float(np.exp(interval[1])))
