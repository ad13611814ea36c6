"""Simulated experiments, counted by how often they find what must not be found, or hold what is true.

Small numbers of repetitions are in the tests; `python benches/coverage.py` runs large ones for docs/statistics.md.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fairtrial.experiment.claims import OrderClaim
from fairtrial.judge.claims.bounded import rule
from fairtrial.judge.claims.equality import or_equal
from fairtrial.judge.claims.order import RankSteps, rule_on_steps
from fairtrial.judge.claims.start_kinds import with_another_kind
from fairtrial.judge.claims.values import Values
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.statistics.equivalence import Equivalence, Verdict, equal_within, verdict_between
from fairtrial.judge.statistics.estimate import Estimate, Resolution, at_resolution, over_blocks, paired_ratio
from fairtrial.judge.statistics.holm import step_down
from fairtrial.judge.statistics.looks import level_at, level_of_rest, looks_in_time
from fairtrial.judge.statistics.median import median_interval, median_intervals, median_p_values
from fairtrial.judge.statistics.planning import blocks_to_decide
from fairtrial.judge.statistics.scalability import Law, PoorFit, scalability
from fairtrial.judge.statistics.shape import (
    Shape,
    advantage,
    diminishing_returns,
    flat,
    leads,
    peak_between,
    rises,
    rises_and_falls,
)
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.judge.statistics.ties import adjust, blocks_for_ranks
from fairtrial.judge.statistics.unpaired import between_runs, unpaired_ratio
from tests.judge.statistics.simulation import DEVIATIONS, FIGURES, MEDIANS, RATIOS, median_ratio


def figures_held(name: str, blocks: int, repetitions: int) -> int:
    """How many intervals of a single figure hold the median of all starts."""
    random = np.random.default_rng(20_311)
    truth = MEDIANS.get(name, 0.0)
    held = 0
    for _ in range(repetitions):
        interval = median_interval(FIGURES[name](random, blocks))
        assert interval is not None
        held += interval[0] <= truth <= interval[1]
    return held


def ratios_held(name: str, blocks: int, repetitions: int) -> int:
    """How many intervals of a paired log-ratio hold that of a typical block."""
    truth = median_ratio(name)
    return sum(low <= truth <= high for low, high in _ratio_intervals(name, blocks, repetitions))


def wrongly_upheld(name: str, blocks: int, repetitions: int) -> tuple[int, int]:
    """How many experiments uphold "at least" the true ratio of a typical block, or more exactly a hair above it, and
    how many "at most"; deviations are of 3%, and few blocks decide nothing so near."""
    truth = median_ratio(name)
    intervals = _ratio_intervals(name, blocks, repetitions)
    ends = [(low, high) for low, high in intervals if _stands(low, high, truth, blocks)]
    return sum(low > truth for low, _ in ends), sum(high < truth for _, high in ends)


def _stands(low: float, high: float, truth: float, blocks: int) -> bool:
    """Whether another kind of start leaves the verdict on a bound at the truth as it is."""
    ratio = Estimate(
        estimate=1.0, interval=(math.exp(0.03 * (low - truth)), math.exp(0.03 * (high - truth))), blocks=blocks
    )
    widest = with_another_kind(ratio).interval
    return widest is not None and not widest[0] <= 1 <= widest[1]


def steps_held(scatter: float, blocks: int, repetitions: int, *, widened: bool = True) -> int:
    """How many intervals of the ratio of 218 to 222 ms hold it, where both are seen in steps of 20 ms; with and without
    the step in them."""
    random = np.random.default_rng(20_314)
    times, step, held = np.array([[0.218], [0.222]]), 0.02, 0
    for _ in range(repetitions):
        of, to = step * np.ceil(times * np.exp(scatter * random.normal(size=(2, blocks))) / step)
        ratio = paired_ratio(of.tolist(), to.tolist())
        share = (1 + step / float(np.median(of))) * (1 + step / float(np.median(to))) - 1
        interval = at_resolution(
            ratio, Resolution(above=share / (1 - share) if widened else 0.0), is_ratio=True
        ).interval
        assert interval is not None
        held += interval[0] <= 0.218 / 0.222 <= interval[1]
    return held


def one_sided_load(share: float, blocks: int, repetitions: int, *, widened: bool = True) -> int:
    """Equal contenders, of which others take this share of one's processors in every slice: how many intervals of their
    ratio leave out 1, with and without the share in them; a side scatters by 1%."""
    random = np.random.default_rng(20_316)
    differing = 0
    for _ in range(repetitions):
        of, to = np.exp(0.01 * random.standard_normal((2, blocks)))
        ratio = paired_ratio((of * (1 - share)).tolist(), to.tolist())
        interval = at_resolution(
            ratio, Resolution(above=share / (1 - share) if widened else 0.0), is_ratio=True
        ).interval
        assert interval is not None
        differing += not interval[0] <= 1 <= interval[1]
    return differing


def upheld_once(runs: int, blocks: int, repetitions: int) -> int:
    """Runs of one experiment until a claim of "at least" is upheld, at most so many: how often it is, at the bound."""
    random = np.random.default_rng(20_313)
    samples = random.normal(0, 0.03, (blocks, repetitions * runs))
    intervals = median_intervals(samples, [LEVEL])
    assert intervals is not None
    upheld = np.array([low > 0 for ((low, _),) in intervals]).reshape(repetitions, runs)
    return int(upheld.any(axis=1).sum())


def _ratio_intervals(name: str, blocks: int, repetitions: int) -> list[tuple[float, float]]:
    random = np.random.default_rng(20_312)
    samples = np.stack([RATIOS[name](random, blocks) for _ in range(repetitions)], axis=1)
    intervals = median_intervals(samples, [LEVEL])
    assert intervals is not None
    return [interval for (interval,) in intervals]


def decided_as_projected(name: str, blocks: int, repetitions: int) -> list[bool]:
    """Of undecided experiments with so many blocks, whether one with as many as they project is decided: by any true
    distance from the bound between 0.2 and 4 deviations. Those that project none are left out."""
    random = np.random.default_rng(5)
    decided: list[bool] = []
    while len(decided) < repetitions:
        distance = random.uniform(0.2, 4) - median_ratio(name)
        found = over_blocks(np.exp(0.03 * (RATIOS[name](random, blocks) + distance)).tolist())
        assert found.interval is not None
        needed = blocks_to_decide(found, [1.0]) if found.interval[0] <= 1 <= found.interval[1] else None
        if needed is not None:
            low, high = median_interval(RATIOS[name](random, needed) + distance) or (0, 0)
            decided.append(not low <= 0 <= high)
    return decided


def equal_stacks_differ(deviations: str, blocks: int, repetitions: int) -> int:
    """A/A: two names for one stack, in drifting blocks. How often the interval of their ratio leaves out 1."""
    random = np.random.default_rng(53)
    differing = 0
    for _ in range(repetitions):
        drift = np.cumsum(random.normal(0, 0.1, blocks))
        first, second = 1000 * np.exp(drift + 0.03 * DEVIATIONS[deviations](random, (2, blocks)))
        interval = paired_ratio(first.tolist(), second.tolist()).interval
        assert interval is not None
        differing += not interval[0] <= 1 <= interval[1]
    return differing


def unpaired_coverage(deviations: str, blocks: int, repetitions: int) -> int:
    """How many intervals of a ratio between two runs hold the truth, that of their medians: of unequal blocks and
    unequal spread."""
    random = np.random.default_rng(61)
    median = MEDIANS.get(deviations, 0.0)
    held = 0
    for _ in range(repetitions):
        of = np.exp(0.02 * (DEVIATIONS[deviations](random, (blocks,)) - median))
        to = np.exp(0.06 * (DEVIATIONS[deviations](random, (blocks + 2,)) - median))
        interval = unpaired_ratio(of.tolist(), to.tolist()).interval
        assert interval is not None
        held += interval[0] <= 1 <= interval[1]
    return held


def false_regressions(runs: int, between_runs: float, repetitions: int) -> int:
    """How many comparisons of a program with itself find it slower, by more than 5% and an interval that excludes no
    change, where runs of five blocks differ by `between_runs` and blocks by 3%. Of one run, blocks are the values."""
    random = np.random.default_rng(3)

    def side() -> list[float]:
        of_runs = random.normal(0, between_runs, (runs, 1)) + 0.03 * random.standard_normal((runs, 5))
        values: list[float] = np.exp(of_runs[0] if runs == 1 else np.median(of_runs, axis=1)).tolist()
        return values

    found = 0
    for _ in range(repetitions):
        ratio = unpaired_ratio(side(), side())
        assert ratio.interval is not None
        found += ratio.estimate < 1 / 1.05 and ratio.interval[1] < 1
    return found


def single_runs_differ(rows: int, spread: float, repetitions: int, blocks: int = 5) -> int:
    """Two runs of one program whose whole runs scatter by 5%, each row by itself, and blocks by 3%: in how many
    comparisons of so many rows one is called a change, if whole runs are taken to scatter by `spread`."""
    random = np.random.default_rng(20_315)
    wrong = 0
    for _ in range(repetitions):
        days = 0.05 * random.standard_normal((2, rows, 1))
        sides = np.exp(days + 0.03 * random.standard_normal((2, rows, blocks)))

        def interval(row: int, level: float, _: object, sides: NDArray[np.float64] = sides) -> tuple[float, float]:
            ratio = between_runs(unpaired_ratio([*sides[1, row]], [*sides[0, row]], level), spread, level)
            assert ratio.interval is not None
            return ratio.interval

        intervals = step_down(list(range(rows)), LEVEL, interval, lambda ends: not ends[0] <= 1 <= ends[1])
        wrong += any(not low <= 1 <= high for low, high in intervals)
    return wrong


def told_apart(deviations: str, blocks: int, repetitions: int) -> int:
    """How many experiments with four equal contenders find any two of them different."""
    random = np.random.default_rng(41)
    errors = 0
    for _ in range(repetitions):
        logs = DEVIATIONS[deviations](random, (blocks, 4))
        differences = np.stack(
            [logs[:, first] - logs[:, second] for first, second in combinations(range(4), 2)], axis=1
        )
        errors += min(adjust(median_p_values(differences).tolist(), 4)) <= 0.05
    return errors


def ranked_by_starts(contenders: int, slow: float, blocks: int, repetitions: int) -> int:
    """How many experiments with equal contenders tell any two of them apart, where a share of all starts is slower by
    half. None where so many contenders have no ranks in so few blocks."""
    if blocks < blocks_for_ranks(contenders):
        return 0
    random = np.random.default_rng(43)
    first, second = np.triu_indices(contenders, 1)
    errors = 0
    for _ in range(repetitions):
        logs = random.normal(0, 0.03, (blocks, contenders)) - math.log(1.5) * (
            random.random((blocks, contenders)) < slow
        )
        errors += min(adjust(median_p_values(logs[:, first] - logs[:, second]).tolist(), contenders)) <= 0.05
    return errors


def at_the_margin(deviations: str, blocks: int, repetitions: int) -> dict[Verdict, int]:
    """What experiments find of equality within 10%, where the ratio is 1.1."""
    random = np.random.default_rng(17)
    verdicts: dict[Verdict, int] = {"upheld": 0, "refuted": 0, "undecided": 0}
    for _ in range(repetitions):
        noise = DEVIATIONS[deviations](random, (2, blocks))
        ratios = np.exp(math.log(1.1) + 0.01 * (noise[0] - noise[1]))
        verdicts[equal_within(ratios.tolist(), 0.1).verdict] += 1
    return verdicts


def decided(deviations: str, looks: Sequence[int], levels: Sequence[float], repetitions: int, gap: float = 0.0) -> int:
    """How many experiments are decided at some look.

    Args:
        gap: from the bound to the truth, in deviations of the ratio; 0: the truth is the bound.
    """
    random = np.random.default_rng(23)
    noise = DEVIATIONS[deviations](random, (2, looks[-1], repetitions))
    ratios = noise[0] - noise[1] + math.sqrt(2) * gap
    is_decided = np.zeros(repetitions, dtype=bool)
    for blocks, level in zip(looks, levels, strict=True):
        is_decided |= median_p_values(ratios[:blocks]) < 1 - level
    return int(is_decided.sum())


def decided_by_the_clock(deviations: str, looks: Sequence[int], repetitions: int) -> int:
    """How many experiments, whose truth is the bound, are decided at some look or by the last interval, where a clock
    ends each after any number of blocks from the first look on."""
    random = np.random.default_rng(24)
    noise = DEVIATIONS[deviations](random, (2, looks[-1], repetitions))
    ratios = noise[0] - noise[1]
    ends = random.integers(looks[0], looks[-1], repetitions)
    is_decided = np.zeros(repetitions, dtype=bool)
    for number, blocks in enumerate(looks, 1):
        significant = median_p_values(ratios[:blocks]) < 1 - level_at(number, looks)
        is_decided |= significant & (blocks < ends)
    for blocks in range(looks[0], looks[-1]):
        level = level_of_rest(max((look for look in looks if look < blocks), default=0), looks)
        here = ends == blocks
        is_decided[here] |= median_p_values(ratios[:blocks, here]) < 1 - level
    return int(is_decided.sum())


TIMES: dict[str, Callable[[np.random.Generator, NDArray[np.float64]], NDArray[np.float64]]] = {
    "blocks of one length": lambda _, ratios: np.ones_like(ratios),
    "blocks that differ by 20%": lambda random, ratios: np.exp(0.2 * random.standard_normal(ratios.shape)),
    "slow blocks take longer": lambda _, ratios: np.exp(-0.2 * ratios),
}
"""How long blocks take. In the last, the worst case, the figure that is judged decides it, as where a load is so many
requests, and nothing else varies."""


def decided_in_time(
    deviations: str, time: str, first: int, fitting: float, repetitions: int, gap: float = 0.0
) -> tuple[int, float]:
    """How many experiments are decided whose looks are planned from the clock, and their mean number of blocks.

    Args:
        fitting: how many blocks of mean length there is time for.
        gap: from the bound to the truth, in deviations of the ratio; 0: the truth is the bound.
    """
    random = np.random.default_rng(25)
    most, count, total = 2 * math.ceil(fitting), 0, 0
    noise = DEVIATIONS[deviations](random, (2, most, repetitions))
    ratios = (noise[0] - noise[1]) / math.sqrt(2)
    ended = np.cumsum(TIMES[time](random, ratios), axis=0)
    for run in range(repetitions):
        values = ratios[:, run : run + 1] + gap
        looks = looks_in_time(first, most, ended[first - 1, run], fitting, ends_in_time=True)
        spent_at = 0
        for blocks in range(looks[0], looks[-1] + 1):
            is_over = ended[blocks - 1, run] * (1 + 1 / blocks) > fitting
            if not is_over and blocks not in looks:
                continue
            level = level_of_rest(spent_at, looks) if is_over else level_at(looks.index(blocks) + 1, looks)
            spent_at = blocks
            is_decided = median_p_values(values[:blocks])[0] < 1 - level
            if is_decided or is_over or blocks == looks[-1]:
                count, total = count + bool(is_decided), total + blocks
                break
    return count, total / repetitions


SWEEP = (1, 2, 4, 8, 16, 32, 64)


def law_held(law: Law, blocks: int, repetitions: int) -> tuple[int, dict[str, int]]:
    """How many fits were not refused, and of those, how many intervals held λ, σ, κ and a reported peak N*."""
    random = np.random.default_rng(11)
    fits = 0
    held = {"λ": 0, "σ": 0, "κ": 0, "N*": 0, "peaks": 0}
    for _ in range(repetitions):
        curve = [[law.at(load) * math.exp(random.normal(0, 0.03)) for _ in range(blocks)] for load in SWEEP]
        fit = scalability(SWEEP, curve)
        if isinstance(fit, PoorFit):
            continue
        fits += 1
        truths = {"λ": (fit.single, law.single), "σ": (fit.contention, law.contention)}
        truths["κ"] = (fit.coherency, law.coherency)
        if fit.peak is not None:
            held["peaks"] += 1
            truths["N*"] = (fit.peak, law.peak)
        for name, (estimated, truth) in truths.items():
            assert estimated.interval is not None
            held[name] += estimated.interval[0] <= truth <= estimated.interval[1]
    return fits, held


def ahead(curve: list[list[float]]) -> Shape:
    """Whether the first half of the points leads the second, as one contender another."""
    half = len(curve) // 2
    return leads(curve[:half], curve[half:])


def humped(curve: list[list[float]]) -> Shape:
    """Whether the curve rises to its middle point, and falls off behind it."""
    middle = len(curve) // 2
    return rises_and_falls(range(len(curve)), curve, (middle, middle))


def bent(curve: list[list[float]]) -> Shape:
    """Whether the curve has diminishing returns, at places one apart."""
    return diminishing_returns(range(len(curve)), curve)


EDGES: dict[str, tuple[Sequence[float], Callable[[list[list[float]]], Shape], Verdict]] = {
    "flat, so does not rise": ([1, 1, 1, 1], lambda curve: rises(curve, dip=0.5), "upheld"),
    "falls by 5% once": ([1, 2, 2 / 1.05, 3], rises, "upheld"),
    "falls by 5% twice, and no more": ([1, 1.05, 1, 1.05], rises, "refuted"),
    "just not flat": ([1, 1, 1.1, 1], lambda curve: flat(curve, 0.1), "upheld"),
    "just flat": ([1, 1.1, 1, 1.1], lambda curve: flat(curve, 0.1), "refuted"),
    "as high outside": ([1, 2, 2, 2, 1], lambda curve: peak_between(range(5), curve, (2, 3)), "upheld"),
    "as high inside": ([2, 1, 2, 1, 2], lambda curve: peak_between(range(5), curve, (1, 3)), "refuted"),
    "a hump with a dip of 5% before it": ([1.5, 1.5 / 1.05, 2, 1.5, 1], humped, "upheld"),
    "a hump with a rise of 5% behind it": ([1, 1.5, 2, 1.5, 1.5 * 1.05], humped, "upheld"),
    "a hump as high as its foot, by dips of 5%": ([1.05, 1, 1.05, 1, 1.05], humped, "refuted"),
    "level with another at one point": ([2, 2, 1, 2, 1, 1, 1, 1], ahead, "upheld"),
    "level with another at every point": ([1] * 8, ahead, "refuted"),
    "bent, but for one point on the line": ([2, 4, 4, 5], bent, "upheld"),
    "a straight line": ([2, 3, 4, 5], bent, "refuted"),
}
"""Truths at the edge of a shape, the test, and what it must not find: the worst case of each error."""


def misjudged(edge: str, deviations: str, blocks: int, repetitions: int) -> int:
    """How many experiments find of a shape what must not be found."""
    levels, test, error = EDGES[edge]
    random = np.random.default_rng(29)
    errors = 0
    for _ in range(repetitions):
        noise = 0.01 * DEVIATIONS[deviations](random, (len(levels), blocks))
        curve = (np.array(levels)[:, None] * np.exp(noise)).tolist()
        errors += test(curve).verdict == error
    return errors


MIDDLE = (5, 20)
PER_LONG = (1, 2, 5, 10, 20, 50, 100)

WORLDS: dict[str, tuple[Sequence[float], float]] = {
    "true": ([1.1, 1.3, 1.5, 1.6, 1.6, 1.3, 1.1], 0.01),
    "true, and noisy": ([1.1, 1.3, 1.5, 1.6, 1.6, 1.3, 1.1], 0.2),
    "flat": ([1.3] * 7, 0.01),
    "flat, and noisy": ([1.3] * 7, 0.2),
    "rising": ([1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7], 0.01),
    "falling": ([1.7, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1], 0.01),
    "falling, and noisy": ([1.7, 1.6, 1.5, 1.4, 1.3, 1.2, 1.1], 0.2),
    "level from the middle on": ([1.1, 1.3, 1.5, 1.6, 1.6, 1.6, 1.6], 0.01),
    "two humps": ([1.1, 1.4, 1.5, 1.6, 1.5, 1.1, 1.3], 0.01),
    "a valley": ([1.6, 1.4, 1.2, 1.1, 1.1, 1.4, 1.6], 0.01),
}
"""The true advantage of one contender over another at each of PER_LONG, and the noise of either's figure. That it
rises, peaks within MIDDLE, and falls off is so in the worlds whose names say so, and false in all others."""


def advantage_verdicts(world: str, deviations: str, blocks: int, repetitions: int) -> dict[Verdict, int]:
    """What experiments find of "the advantage rises, peaks in the middle, and falls off": both contenders have curves
    of their own, drift with the block, and scatter."""
    truth, spread = WORLDS[world]
    random = np.random.default_rng(37)
    own = np.linspace(3, 1, len(truth))
    verdicts: dict[Verdict, int] = {"upheld": 0, "refuted": 0, "undecided": 0}
    for _ in range(repetitions):
        drift = random.normal(0, 0.3, blocks)
        noise = spread * DEVIATIONS[deviations](random, (2, len(truth), blocks))
        to, of = np.stack([own, own * truth])[:, :, None] * np.exp(drift + noise)
        shape = rises_and_falls(PER_LONG, advantage(of.tolist(), to.tolist()), MIDDLE)
        verdicts[shape.verdict] += 1
    return verdicts


MARGIN = 0.05
ANSWERS: Mapping[str, tuple[float, float, Sequence[Verdict]]] = {
    "equal, “at least 1”": (1, 1, ("upheld", "refuted")),
    "at the margin, “at least 1”": (1.05, 1, ("equal", "refuted")),
    "at the lower margin, “at least 1”": (1 / 1.05, 1, ("equal", "upheld")),
    "at the margin, “at least” that": (1.05, 1.05, ("equal", "refuted")),
    "at the margin, “at least” a hair more": (1.05, 1.0501, ("equal", "upheld")),
    "half as far, “at least” that": (1.025, 1.025, ("upheld", "refuted")),
}
"""The true ratio, the bound of a claim about it, and the answers that are wrong: those of which one or more is wrong
wherever the truth lies a hair to the side that makes them so. The margin is that of `MARGIN`."""


def answers(name: str, world: str, looks: Sequence[int], repetitions: int, scatter: float = 0.01) -> Counter[Verdict]:
    """The verdicts on so many claims, each at the first look that decides it; each side scatters by so much."""
    truth, bound, _ = ANSWERS[world]
    random = np.random.default_rng(26)
    noise = np.stack([RATIOS[name](random, looks[-1]) for _ in range(repetitions)], axis=1) - median_ratio(name)
    logs = math.log(truth) + scatter * noise
    verdicts: list[Verdict] = ["undecided"] * repetitions
    for number, blocks in enumerate(looks, 1):
        level = level_at(number, looks)
        intervals = median_intervals(logs[:blocks], [2 * level - 1, level])
        assert intervals is not None
        for run, ends in enumerate(np.exp(intervals).tolist()):
            if verdicts[run] == "undecided":
                inner, outer = map(tuple, ends)
                test = Equivalence("undecided", 1.0, MARGIN, inner, outer)
                test = replace(test, verdict=verdict_between(inner, outer, test.within))
                verdicts[run] = or_equal(rule(outer, (bound, None)), test, level).verdict
    return Counter(verdicts)


ORDERS: Mapping[str, tuple[Sequence[float], Sequence[str]]] = {
    "three equals": ([1, 1, 1], ("upheld", "refuted", "wrong pair")),
    "each 5% ahead of the next": ([1.05**2, 1.05, 1], ("refuted", "wrong pair")),
    "the first 5% ahead of two equals": ([1.05, 1, 1], ("upheld", "refuted", "wrong pair")),
    "the second ahead of the first by 5%": ([1, 1.05, 1], ("upheld", "equal", "wrong pair")),
}
"""What each of three contenders serves, and which answers to “first before second before third” are wrong.
*Wrong pair*: the order is called equal, and a pair in it that is not, or is said to be ahead and is not."""


def order_answers(world: str, blocks: int, repetitions: int) -> Counter[str]:
    """The verdicts on so many claims that three contenders are in this order, whose figures scatter by 1%."""
    rates, _ = ORDERS[world]
    random = np.random.default_rng(27)
    claim = OrderClaim.model_validate({"kind": "order", "id": "it", "text": "so", "order": ["a", "b", "c"]})
    logs = np.log(rates)[:, None] + 0.01 * random.standard_normal((repetitions, 3, blocks))
    verdicts: Counter[str] = Counter()
    for run in np.exp(logs).tolist():
        values = Values(dict(zip(claim.order, run, strict=True)), None, None)
        steps = RankSteps.of(claim, METRICS["goodput"], values, LEVEL)
        verdict = rule_on_steps(claim, values, steps, MARGIN, "goodput", LEVEL).verdict
        alike = {at: at in steps.not_ahead() for at in (0, 1)}
        apart = [round(rates[at] / rates[at + 1], 9) for at in (0, 1)]
        is_wrong = any(not 1 / (1 + MARGIN) < apart[at] < 1 + MARGIN if alike[at] else apart[at] <= 1 for at in alike)
        verdicts["wrong pair" if verdict == "equal" and is_wrong else verdict] += 1
    return verdicts
