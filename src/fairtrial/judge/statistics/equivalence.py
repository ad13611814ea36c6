"""Whether two contenders are equal within a margin, by two one-sided tests.

Finding no difference proves nothing: three noisy blocks find none either. Equality within a margin d is upheld if both
"the ratio is below 1/(1+d)" and "the ratio is above 1+d" are rejected at 5% each, which is to say, if the 90% interval
lies between 1/(1+d) and 1+d. Either error can only be made on one side, so that 5% each is 5% in all, and the
interval's level is 90% and not 95%. On the logarithm the margins are symmetric: no side is the favourite.

Equality is refuted if the 95% interval lies wholly outside of the margins.

Source: D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987), 657-680.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fairtrial.judge.statistics.estimate import Resolution
from fairtrial.judge.statistics.median import median_interval
from fairtrial.judge.statistics.student import LEVEL

Verdict = Literal["upheld", "refuted", "equal", "undecided"]
"""*Equal* is an answer to claims that one side is ahead of another (claims.equality)."""
EXACT = Resolution()


@dataclass(frozen=True)
class Equivalence:
    """The verdict on a ratio of one, plus or minus a margin."""

    verdict: Verdict
    estimate: float
    margin: float
    """A share, d."""
    inner: tuple[float, float] | None
    """At level 1 - 2(1 - level), 90%: equality is upheld if it lies within the margins. None with fewer than
    MINIMUM_BLOCKS blocks."""
    outer: tuple[float, float] | None
    """At the level itself, 95%: equality is refuted if it lies outside of them."""

    @property
    def deciding(self) -> tuple[float, float] | None:
        """The interval that the verdict on equality rests on."""
        return self.outer if self.verdict == "refuted" else self.inner

    @property
    def within(self) -> tuple[float, float]:
        """From 1/(1+d) to 1+d."""
        return 1 / (1 + self.margin), 1 + self.margin


def equal_within(
    ratios: Sequence[float], margin: float, level: float = LEVEL, resolution: Resolution = EXACT
) -> Equivalence:
    """Whether the ratio of a typical block lies within [1/(1+margin), 1+margin].

    Args:
        ratios: one a block; the typical one is the median of what they were drawn from.
        resolution: how finely the ratios were read.

    Raises:
        ValueError: no ratios, one that is not positive and finite, a margin that is not, or a level of 50% or less.
    """
    if not ratios or any(not 0 < ratio < math.inf for ratio in ratios):
        raise ValueError("equality is tested on positive ratios")
    if not 0 < margin < math.inf:
        raise ValueError("a margin is above zero")
    if not level > 0.5:
        raise ValueError("a level of equality is above 50%")
    logs = np.log(np.asarray(ratios, dtype=np.float64))
    estimate = float(np.exp(np.median(logs)))
    inner, outer = median_interval(logs, 2 * level - 1), median_interval(logs, level)
    if inner is None or outer is None:
        return Equivalence("undecided", estimate, margin, None, None)
    inner, outer = (
        resolution.widen(estimate, (math.exp(low), math.exp(high)), is_ratio=True) for low, high in (inner, outer)
    )
    test = Equivalence("undecided", estimate, margin, inner, outer)
    return replace(test, verdict=verdict_between(inner, outer, test.within))


def verdict_between(inner: tuple[float, float], outer: tuple[float, float], within: tuple[float, float]) -> Verdict:
    """The verdict that intervals at both levels give: upheld by the one inside the margins, or refuted by the other."""
    if within[0] <= inner[0] and inner[1] <= within[1]:
        return "upheld"
    return "refuted" if outer[0] > within[1] or outer[1] < within[0] else "undecided"
