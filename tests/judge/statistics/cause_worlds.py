"""Worlds in which what each factor changes is known, and whether the intervals of all parts hold it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fairtrial.experiment.factorial import FactorialDesign, make_design
from fairtrial.judge.causes import PRECISION
from fairtrial.judge.statistics.causes import Division, divide
from fairtrial.judge.statistics.looks import level_at
from fairtrial.judge.statistics.student import LEVEL
from tests.judge.statistics.simulation import Draw

Floats = NDArray[np.float64]
SCATTER = 0.03

ALONE = {"driver": 0.40, "pool": 0.15, "log": -0.10, "cache": 0.05, "codec": 0.10, "tls": 0.0}
"""What each factor changes alone, on the logarithm."""
TOGETHER = {("driver", "pool"): 0.08, ("driver", "log"): -0.05, ("pool", "codec"): 0.06}
NOT_SWITCHED = 0.07


@dataclass(frozen=True)
class World:
    """The truth about some factors."""

    factors: int
    with_interactions: bool

    @property
    def design(self) -> FactorialDesign:
        return make_design(list(ALONE)[: self.factors])

    def pair(self, pair: tuple[str, str]) -> float:
        return TOGETHER.get(pair, 0.0) if self.with_interactions else 0.0

    def mean(self, run: frozenset[str]) -> float:
        """The logarithm of the metric where these factors are switched."""
        pairs = (pair for pair in combinations(self.design.factors, 2) if set(pair) <= run)
        return sum(ALONE[factor] for factor in run) + sum(map(self.pair, pairs))

    @property
    def whole(self) -> float:
        return self.mean(frozenset(self.design.factors)) + NOT_SWITCHED

    def part(self, kind: str, factors: tuple[str, ...]) -> float:
        """The truth about one part: alone where all combinations are tried, else on average over the others."""
        if kind == "not explained":
            return NOT_SWITCHED
        if kind == "pair":
            return self.pair((factors[0], factors[1]))
        if kind == "more":
            return 0.0
        (factor,) = factors
        pairs = (pair for pair in combinations(self.design.factors, 2) if factor in pair)
        return ALONE[factor] + (0.0 if self.design.is_full else sum(map(self.pair, pairs)) / 2)


def alike(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return random.standard_normal(shape)


def first_scatters(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """The second condition scatters ten times as much as each other one."""
    noise = random.standard_normal(shape) / 3
    noise[:, 1] *= 10
    return noise


def restarts(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """One start in five is slower by five deviations, in every condition."""
    return random.standard_normal(shape) - 5.0 * (random.random(shape) < 0.2)


def drift(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """The machine gets slower by twenty deviations from the first trial to the last; the order in a block is drawn."""
    blocks, conditions = shape
    order = np.array([random.permutation(conditions) for _ in range(blocks)]) + conditions * np.arange(blocks)[:, None]
    trials: Floats = random.standard_normal(shape) - 20.0 * order / (blocks * conditions)
    return trials


def neighbour(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Somebody else works in one trial in four, and slows it by up to eight deviations."""
    return random.standard_normal(shape) - 8.0 * random.random(shape) * (random.random(shape) < 0.25)


WORLDS: Mapping[str, Draw] = {
    "all scatter alike": alike,
    "one scatters ten times as much": first_scatters,
    "one start in five is slow": restarts,
    "the machine drifts": drift,
    "a neighbour works in one trial in four": neighbour,
}


def an_experiment(world: World, draw: Draw, blocks: int, random: np.random.Generator) -> Division:
    """One experiment, divided."""
    return divided(world, drawn_values(world, draw, blocks, random), LEVEL)


def drawn_values(world: World, draw: Draw, blocks: int, random: np.random.Generator) -> Floats:
    """A row for each block: a value for each run of the design, and one for the end."""
    means = np.array([*map(world.mean, world.design.runs), world.whole])
    values: Floats = np.exp(means + SCATTER * draw(random, (blocks, len(means))) + random.standard_normal((blocks, 1)))
    return values


def divided(world: World, values: Floats, level: float) -> Division:
    """Such rows, divided."""
    table = {run: values[:, place].tolist() for place, run in enumerate(world.design.runs)}
    return divide(world.design, table, values[:, -1].tolist(), level)


@dataclass
class Held:
    """Of so many experiments, in how many the truth was within."""

    ratios: int = 0
    """of all parts at once"""
    shares: int = 0
    """likewise, of those with shares"""
    with_shares: int = 0
    whole: int = 0

    def count(self, world: World, division: Division) -> None:
        """Add one experiment."""
        truths = [world.part(part.kind, tuple(part.factors)) for part in division.parts]
        self.ratios += all(
            part.interval is not None and part.interval[0] <= np.exp(truth) <= part.interval[1]
            for part, truth in zip(division.parts, truths, strict=True)
        )
        self.whole += (
            division.interval is not None and division.interval[0] <= np.exp(world.whole) <= division.interval[1]
        )
        if all(part.share_interval for part in division.parts):
            self.with_shares += 1
            self.shares += all(
                part.share_interval is not None
                and part.share_interval[0] <= truth / world.whole <= part.share_interval[1]
                for part, truth in zip(division.parts, truths, strict=True)
            )


def parts_held(world: World, draw: Draw, blocks: int, repetitions: int) -> Held:
    """How often the intervals of all parts hold what is true."""
    random = np.random.default_rng(20_310_506)
    held = Held()
    for _ in range(repetitions):
        division = an_experiment(world, draw, blocks, random)
        held.count(world, division)
    return held


def parts_held_at_looks(world: World, draw: Draw, looks: Sequence[int], repetitions: int) -> tuple[Held, list[int]]:
    """The same at the first look at which all shares are known to `PRECISION`, or at the last; and at which look each
    ended, as a number of blocks."""
    random = np.random.default_rng(20_310_506)
    held, ends = Held(), []
    for _ in range(repetitions):
        values = drawn_values(world, draw, looks[-1], random)
        for number, blocks in enumerate(looks, 1):
            division = divided(world, values[:blocks], level_at(number, looks))
            widths = [high - low for part in division.parts for low, high in [part.share_interval or (-np.inf, np.inf)]]
            if max(widths) / 2 <= PRECISION or blocks == looks[-1]:
                held.count(world, division)
                ends.append(blocks)
                break
    return held, ends
