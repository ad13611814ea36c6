"""A ratio of two conditions divided among the factors that were switched between them.

On the logarithm. In each block every condition has one value, and a part is a weighted sum of these whose weights add
up to zero, so that what slows a whole block cancels. The weights are those of the least-squares fit within the block:

- All combinations were tried: the fit has a term for each set of factors, with the start as its base. A factor's part
  is what it changes when it alone is switched; a pair's part is what both change together beyond what each changes by
  itself; the rest is that of three or more. Nothing is assumed, and the parts add up to what all factors change.
- Factors were switched in order: a factor's part is what the run has beyond the one before it.
- A fraction was tried: the fit has a term for each factor, and one for each group of pairs that are aliases. A factor's
  part is what it changes on average over the levels of the others. What three factors do together is assumed to be
  nothing. If it is not, it is in what is not explained; without an end of its own, in what three or more do together.

What is not explained is the whole ratio less the parts: what separates the end from the start with every factor
switched, and of a fraction also what the terms leave out.

The interval of a part is Student's over the blocks, each part with its own spread: one condition may scatter more than
another, and a pooled variance would be too small for it. Its share of the whole has Fieller's interval. The intervals
of all parts hold together at the level: each of m parts has 1 - α / m (Bonferroni), which allows any dependence. Where
values were read coarsely, an interval is as wide as that of a claim's ratio, and one of a share holds what it would be
wherever part and whole may lie.

Sources: G. E. P. Box, W. G. Hunter and J. S. Hunter, Statistics for Experimenters (1978), chapters 10 and 12; NIST/
SEMATECH e-Handbook of Statistical Methods, 5.3.3; C. E. Bonferroni (1936), as in R. G. Miller, Simultaneous Statistical
Inference, 2nd edition (1981), section 2.3.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.experiment.factorial import FactorialDesign, Run
from fairtrial.judge.statistics.estimate import Resolution
from fairtrial.judge.statistics.fieller import fieller_interval
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS, mean_interval, quantile

Floats = NDArray[np.float64]
Interval = tuple[float, float]
CauseKind = Literal["factor", "pair", "more", "not explained"]

FULL_ORDER = 2
"""Sets of more factors than this are one part together in a full design."""


class Beside(Strict):
    """The change that a part makes to another figure of the same trials."""

    metric: str
    ratio: float
    interval: Interval | None = Field(description="of all parts of this figure together at `level`")


class Cause(Strict):
    """One part of the ratio."""

    kind: CauseKind = Field(
        description="factor: by itself; pair: both together, beyond what each does; more: three or more together; "
        "not explained: what no factor switches"
    )
    factors: list[str] = Field(default_factory=list)
    ratio: float = Field(description="by which it multiplies the metric; the ratios of all parts multiply to the whole")
    interval: Interval | None = Field(description="of all parts together at `level`; null below three blocks")
    share: float | None = Field(description="of the logarithm of the whole ratio; null: that is not told from 1")
    share_interval: Interval | None
    beside: list[Beside] = Field(
        default_factory=list, description="processor time, statements, bytes and memory, where all have them"
    )


class Interaction(Strict):
    """How a pair of factors, or one of several that cannot be told apart, changes what each does: of a fraction."""

    pairs: list[list[str]] = Field(description="more than one: aliases")
    ratio: float = Field(description="by which the effect of one is multiplied where the other is switched")
    interval: Interval | None = Field(description="of all interactions together at `level`")


class Causes(Strict):
    """The answer to `[why]`."""

    start: str
    end: str
    metric: str
    higher_is_better: bool
    factors: dict[str, str] = Field(description="by name, what it changes")
    combinations: int = Field(description="of factors, that were tried")
    resolution: str = Field(description="full: all combinations; V or IV: a fraction of them; in order: steps")
    blocks: int
    level: float
    ratio: float | None = Field(None, description="of the metric of the end to that of the start; null: see `reason`")
    interval: Interval | None = Field(None, description="at `level`, of this ratio by itself")
    parts: list[Cause] = Field(default_factory=list, description="from the start to the end")
    interactions: list[Interaction] = Field(default_factory=list, description="of a fraction")
    reason: str | None = Field(None, description="why there is no ratio, or why its parts have no shares")
    withheld_by: str | None = Field(None, description="the check that withholds the ratio; null: none does")
    remarks: list[str] = Field(default_factory=list, description="as of a claim that the ratio were so much")
    advice: list[str] = Field(default_factory=list, description="how long narrower shares or more factors would take")

    @property
    def widest_share(self) -> float | None:
        """Half the width of the widest interval of a share; None: not all parts have one."""
        ends = [part.share_interval for part in self.parts if part.share_interval is not None]
        return max((high - low) / 2 for low, high in ends) if ends and len(ends) == len(self.parts) else None


@dataclass(frozen=True)
class Weights:
    """The weights of one part, by condition."""

    kind: CauseKind
    factors: tuple[str, ...]
    of: Floats
    """shape (runs,)"""


def part_weights(design: FactorialDesign) -> list[Weights]:
    """The parts that factors have, in the order in which they are told: by how many factors they are."""
    if design.in_order:
        rows = np.diff(np.eye(len(design.runs)), axis=0)
        return [Weights("factor", (name,), row) for name, row in zip(design.factors, rows, strict=True)]
    return _full_weights(design) if design.is_full else _fraction(design)[0]


def interaction_weights(design: FactorialDesign) -> list[tuple[list[tuple[str, str]], Floats]]:
    """Each group of aliases of a fraction with its weights; none of other designs, whose parts make up the whole."""
    return [] if design.adds_up else _fraction(design)[1]


def _full_weights(design: FactorialDesign) -> list[Weights]:
    place = {run: index for index, run in enumerate(design.runs)}
    parts: list[Weights] = []
    more = np.zeros(len(design.runs))
    for size in range(1, len(design.factors) + 1):
        for factors in combinations(design.factors, size):
            weights = np.zeros(len(design.runs))
            for count in range(size + 1):
                for switched in combinations(factors, count):
                    weights[place[Run(switched)]] += (-1) ** (size - count)
            if size <= FULL_ORDER:
                parts.append(Weights("factor" if size == 1 else "pair", factors, weights))
            else:
                more += weights
    return [*parts, Weights("more", (), more)] if len(design.factors) > FULL_ORDER else parts


def _fraction(design: FactorialDesign) -> tuple[list[Weights], list[tuple[list[tuple[str, str]], Floats]]]:
    groups = design.aliases()
    columns = [
        np.ones(len(design.runs)),
        *(np.asarray(design.levels(factor)) / 2 for factor in design.factors),
        *(np.asarray(design.together(group[0])) / 4 for group in groups),
    ]
    rows = np.linalg.pinv(np.column_stack(columns))[1:]
    factors = [Weights("factor", (name,), row) for name, row in zip(design.factors, rows, strict=False)]
    return factors, list(zip(groups, rows[len(factors) :], strict=True))


@dataclass(frozen=True)
class Division:
    """The whole ratio, its parts and its interactions."""

    ratio: float
    interval: Interval | None
    parts: list[Cause]
    interactions: list[Interaction]


Read = Callable[[Floats], Resolution]
"""How finely a product was read, by the powers of the design's runs and, if there is one, of the end: shape (runs,)."""


def divide(
    design: FactorialDesign,
    runs: Mapping[Run, Sequence[float]],
    end: Sequence[float] | None,
    level: float = LEVEL,
    *,
    rest: CauseKind = "not explained",
    read: Read = lambda _powers: Resolution(),
) -> Division:
    """The ratio of the end to the start, divided.

    Args:
        runs: by run of the design, the metric's value in each block; all positive, and of the same blocks.
        end: likewise of the end; None: it is the run in which every factor is switched, which is tried.
        rest: what separates the end from what the parts of the factors make up.

    Raises:
        ValueError: values are missing, or not positive.
    """
    columns = [runs[run] for run in design.runs] + ([] if end is None else [end])
    table = np.array(columns, dtype=np.float64).T
    if not bool((table > 0).all()):
        raise ValueError("a ratio needs positive values")
    logs, more = np.log(table), np.zeros(0 if end is None else 1)
    powers = np.zeros(len(columns))
    powers[design.runs.index(frozenset())] = -1
    powers[-1 if end is not None else design.runs.index(frozenset(design.factors))] += 1
    whole = _Product(logs @ powers, read(powers))
    weights = [Weights(each.kind, each.factors, np.append(each.of, more)) for each in part_weights(design)]
    if end is not None or not design.adds_up:
        weights.append(Weights(rest, (), powers - sum(each.of for each in weights)))
    share_level, groups = 1 - (1 - level) / len(weights), interaction_weights(design)
    pairs = [(aliases, np.append(of, more)) for aliases, of in groups]
    return Division(
        ratio=whole.ratio,
        interval=whole.interval(level),
        parts=[_cause(each, _Product(logs @ each.of, read(each.of)), whole, share_level) for each in weights],
        interactions=[
            Interaction(
                pairs=[list(pair) for pair in aliases],
                ratio=(interaction := _Product(logs @ of, read(of))).ratio,
                interval=interaction.interval(1 - (1 - level) / len(groups)),
            )
            for aliases, of in pairs
        ],
    )


@dataclass(frozen=True)
class _Product:
    """The logarithm of a product of conditions' values in each block, and how finely it was read."""

    logs: Floats
    resolution: Resolution

    @property
    def ratio(self) -> float:
        return float(np.exp(self.logs.mean()))

    def interval(self, level: float) -> Interval | None:
        own = mean_interval(self.logs, level)
        if own is None:
            return None
        return self.resolution.widen(self.ratio, (float(np.exp(own[0])), float(np.exp(own[1]))), is_ratio=True)

    @property
    def places(self) -> set[float]:
        """How far its logarithm may lie from where it was measured, at most, on either side."""
        read = self.resolution
        step = math.log1p(read.step)
        return {-step - math.log1p(read.below), step + math.log1p(read.above)}


def _cause(of: Weights, part: _Product, whole: _Product, level: float) -> Cause:
    share, interval = None, None
    if len(part.logs) >= MINIMUM_BLOCKS:
        reach = quantile(level, len(part.logs))
        places = product(part.places, whole.places)
        ends = [fieller_interval(part.logs + own, whole.logs + beside, reach) for own, beside in places]
        intervals = [end for end in ends if end is not None]
        if len(intervals) == len(ends) and len({np.sign(whole.logs.mean() + place) for place in whole.places}) == 1:
            interval = min(low for low, _ in intervals), max(high for _, high in intervals)
            share = float(part.logs.mean() / whole.logs.mean())
    return Cause(
        kind=of.kind,
        factors=list(of.factors),
        ratio=part.ratio,
        interval=part.interval(level),
        share=share,
        share_interval=interval,
    )
