"""Worlds in which something fails: a machine with faults, several claims at their bounds, one side that drifts, starts
that fall apart. Counted by the judge's own functions; `python benches/coverage.py` runs many for docs/statistics.md."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from fairtrial.experiment.claims import ClaimsJudged, OrderClaim
from fairtrial.judge.checks import drift_over_blocks, starts_differ
from fairtrial.judge.checks.model import Finding, Severity
from fairtrial.judge.claims import together
from fairtrial.judge.claims.bounded import rule
from fairtrial.judge.claims.equality import or_equal
from fairtrial.judge.claims.order import RankSteps, rule_on_steps
from fairtrial.judge.claims.values import Values
from fairtrial.judge.discarded_blocks import counts, discarded_blocks
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.model import TrialResult
from fairtrial.judge.statistics.equivalence import equal_within
from fairtrial.judge.statistics.estimate import Estimate, over_blocks
from fairtrial.judge.statistics.median import median_interval
from fairtrial.judge.statistics.planning import Margins, blocks_to_decide
from fairtrial.judge.statistics.shape import rises
from fairtrial.judge.statistics.share import share_interval, starts_to_decide
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS
from fairtrial.plan.make import SPARE_SHARE
from fairtrial.record.model import ExperimentRecord
from tests.judge.statistics.simulation import leaning_blocks

FAULT = Finding(check="stolen", severity="refusal", evidence="", remedy="")


def _trial(index: int, block: int, *, is_faulty: bool) -> TrialResult:
    outcome = "refused" if is_faulty else "valid"
    parts: dict[str, Any] = {"index": index, "block": block, "outcome": outcome, "findings": [FAULT] * is_faulty}
    return TrialResult.model_construct(**parts)


def complete_with_spare(chance: float, blocks: int, repetitions: int) -> int:
    """Of such runs, of a fixed number of blocks: how many judge as many as were planned, with the spare ones."""
    random = np.random.default_rng(76)
    spare = math.ceil(SPARE_SHARE * blocks)
    kept = (random.random((repetitions, blocks + spare, 2)) >= chance).all(axis=2).sum(axis=1)
    return int((kept >= blocks).sum())


def machine_faults(chance: float, blocks: int, repetitions: int) -> tuple[int, int, int]:
    """Of runs in which each of two trials a block is spoiled by the machine with this chance: how many had a fault, how
    many decide on a bound 20 deviations away, and how many intervals hold the truth."""
    random = np.random.default_rng(71)
    parts: dict[str, Any] = {"looks": [blocks]}
    record = ExperimentRecord.model_construct(**parts)
    with_fault = decided = held = 0
    for _ in range(repetitions):
        faults = random.random((blocks, 2)) < chance
        trials = [
            _trial(2 * block + side, block, is_faulty=bool(faults[block, side]))
            for block in range(blocks)
            for side in (0, 1)
        ]
        results = {trial.index: trial for trial in trials}
        lost = discarded_blocks(record, results)
        kept = {trial.block for trial in trials if counts(trial, lost)}
        with_fault += bool(faults.any())
        if len(kept) < MINIMUM_BLOCKS or any(trial.outcome == "refused" and counts(trial, lost) for trial in trials):
            continue
        noise = random.standard_normal((2, blocks))
        interval = median_interval((noise[0] - noise[1])[sorted(kept)])
        assert interval is not None
        decided += rule(interval, (-20.0, None)).verdict == "upheld"
        held += interval[0] <= 0 <= interval[1]
    return with_fault, decided, held


@dataclass(frozen=True)
class _Level:
    """The part of the evidence that the procedure for several claims reads."""

    level: float
    sharing: int = 1


@dataclass(frozen=True)
class _Verdict:
    id: str
    verdict: str
    margin: float | None = None
    interval: tuple[float, float] | None = None
    unit: None = None


@dataclass(frozen=True)
class _Claim:
    id: str
    kind: str
    values: NDArray[np.float64]


def wrong_among_claims(claims: int, judged: ClaimsJudged, repetitions: int, blocks: int = 10) -> int:
    """How many runs decide any of so many independent claims, whose truth lies at their bounds."""
    random = np.random.default_rng(72)

    def judge_one(claim: _Claim, evidence: _Level) -> _Verdict:
        interval = median_interval(claim.values, evidence.level)
        assert interval is not None
        return _Verdict(claim.id, rule(interval, (0.0, None)).verdict)

    wrong = 0
    with patch.object(together, "judge_claim", judge_one):
        for _ in range(repetitions):
            stated = [_Claim(str(each), "ratio", random.standard_normal(blocks)) for each in range(claims)]
            results = together.judge_claims(cast("Any", stated), cast("Any", _Level(0.95)), judged)
            wrong += any(result.verdict != "undecided" for result in results)
    return wrong


DRIFTS: Mapping[str, Callable[[np.random.Generator, int], NDArray[np.float64]]] = {
    "none": lambda _, blocks: np.zeros(blocks),
    "leans by 0.5 on the block before": lambda random, blocks: 0.06 * leaning_blocks(random, blocks, 0.5),
    "leans by 0.8 on the block before": lambda random, blocks: 0.06 * leaning_blocks(random, blocks, 0.8),
    "random walk, 3% a block": lambda random, blocks: np.cumsum(0.03 * random.standard_normal(blocks)),
    "10% slower at the end": lambda _, blocks: -np.linspace(0, math.log(1.1), blocks),
    "20% slower at the end": lambda _, blocks: -np.linspace(0, math.log(1.2), blocks),
    "50% slower at the end": lambda _, blocks: -np.linspace(0, math.log(1.5), blocks),
}
"""What one of two contenders does over blocks, on the logarithm. The truth is zero: where it leans to, or began."""


def drifting(name: str, blocks: int, repetitions: int) -> tuple[int, int, int]:
    """How many intervals of the ratio hold the truth, in how many runs `drift-over-blocks` warns of a contender, and in
    how many it warns or has a note; either scatters by 3%."""
    random = np.random.default_rng(73)
    thresholds = {key: threshold.value for key, threshold in drift_over_blocks.drift_over_blocks.thresholds.items()}
    held = warned = found = 0
    for _ in range(repetitions):
        sides = 0.03 * random.standard_normal((2, blocks))
        sides[0] += DRIFTS[name](random, blocks)
        interval = median_interval(sides[0] - sides[1])
        assert interval is not None
        held += interval[0] <= 0 <= interval[1]
        centred = sides - np.median(sides, axis=1, keepdims=True)
        distances = {key: dict(enumerate(map(float, side))) for key, side in zip("ab", centred, strict=True)}
        beside = drift_over_blocks.beside_others(distances)["a"]
        is_plain = drift_over_blocks.drift(beside, thresholds["change"], thresholds["alpha"]) is not None
        warned += is_plain
        found += is_plain or drift_over_blocks.why_doubtful(beside, thresholds["note_alpha"], 2) is not None
    return held, warned, found


MODES: Mapping[str, tuple[float, float]] = {
    "none": (0.0, 1.0),
    "one start in ten 3 times slower": (0.1, 3.0),
    "two starts in ten 1.3 times slower": (0.2, 1.3),
    "three starts in ten 1.5 times slower": (0.3, 1.5),
    "every other start 1.5 times slower": (0.5, 1.5),
}


def starts_apart(name: str, blocks: int, repetitions: int) -> tuple[int, int, int]:
    """In how many runs of one condition `starts-differ` warns of starts, in how many it finds some, and in how many
    there are both kinds; all scatter by 3%."""
    random = np.random.default_rng(74)
    share, factor = MODES[name]
    warned = found = there = 0
    for _ in range(repetitions):
        slow = random.random(blocks) < share
        severity = _severity(0.03 * random.standard_normal(blocks) - math.log(factor) * slow, 1)
        warned += severity == "warning"
        found += severity is not None
        there += bool(slow.any() and not slow.all())
    return warned, found, there


HONEST_STARTS: Mapping[str, Callable[[np.random.Generator, int], NDArray[np.float64]]] = {
    "normal, 3%": lambda random, blocks: 0.03 * random.standard_normal(blocks),
    "normal, 10%": lambda random, blocks: 0.1 * random.standard_normal(blocks),
    "Laplace, 5%": lambda random, blocks: 0.05 * random.laplace(size=blocks),
    "Student t, 3 degrees, 3%": lambda random, blocks: 0.03 * random.standard_t(3, blocks),
    "Student t, 3 degrees, 5%": lambda random, blocks: 0.05 * random.standard_t(3, blocks),
    "Student t, 3 degrees, 10%": lambda random, blocks: 0.1 * random.standard_t(3, blocks),
}


def honest_starts(name: str, blocks: int, repetitions: int, conditions: int = 5) -> tuple[int, int]:
    """In how many runs of so many conditions `starts-differ` warns of honest starts, and in how many it has a note."""
    random = np.random.default_rng(78)
    warned = noted = 0
    for _ in range(repetitions):
        severities = {_severity(HONEST_STARTS[name](random, blocks), conditions) for _ in range(conditions)}
        warned += "warning" in severities
        noted += bool(severities - {None})
    return warned, noted


def _severity(logs: NDArray[np.float64], conditions: int) -> Severity | None:
    """Of the finding on a condition, one of so many, with the logarithms of these rates."""
    limits = {key: threshold.value for key, threshold in starts_differ.starts_differ.thresholds.items()}
    rates = np.exp(logs).tolist()
    if any(starts_differ.slower_group(rates, limits["factor"])):
        return "warning"
    far = starts_differ.far_from_middle(rates, limits["deviations"], limits["factor"])
    if not any(far):
        return None
    chance = limits["by_chance"] / conditions
    return "warning" if starts_differ.seldom_by_chance(rates, far, limits["deviations"], chance) else "note"


def _equal(distance: float, blocks: int, random: np.random.Generator) -> tuple[int | None, bool]:
    """Equality within 10%, whose margin the truth is so many deviations inside."""
    ratios = np.exp(math.log(1.1) + 0.03 * (random.standard_normal(blocks) - distance)).tolist()
    test = equal_within(ratios, 0.1)
    if test.verdict != "undecided" or test.inner is None:
        return None, test.verdict != "undecided"
    found = Estimate(estimate=test.estimate, interval=test.inner, blocks=blocks)
    then = 0.9 if 1 / 1.1 <= test.estimate <= 1.1 else 0.95
    return blocks_to_decide(found, (1 / 1.1, 1.1), level=0.9, then=then), False


def _order(distance: float, blocks: int, random: np.random.Generator) -> tuple[int | None, bool]:
    """Three contenders in order, each so many deviations ahead of the next, or equal within 1%."""
    logs = random.standard_normal((3, blocks)) / math.sqrt(2) - distance * np.arange(3)[:, None]
    claim = OrderClaim.model_validate({"kind": "order", "id": "it", "text": "so", "order": ["a", "b", "c"]})
    values = Values(dict(zip(claim.order, np.exp(0.03 * logs).tolist(), strict=True)), None, None)
    steps = RankSteps.of(claim, METRICS["goodput"], values, LEVEL)
    if rule_on_steps(claim, values, steps, 0.01, "goodput", LEVEL).verdict != "undecided":
        return None, True
    return steps.hardest(claim, 0.01, LEVEL, LEVEL)[1].blocks, False


def _ratio(distance: float, blocks: int, random: np.random.Generator) -> tuple[int | None, bool]:
    """A ratio that is so many deviations above one, of which a claim says that it is above one, or equal within 1%."""
    test = equal_within(np.exp(0.03 * (random.standard_normal(blocks) + distance)).tolist(), 0.01)
    assert test.outer is not None
    if or_equal(rule(test.outer, (1, None)), test, LEVEL).verdict != "undecided":
        return None, True
    ratio = Estimate(estimate=test.estimate, interval=test.outer, blocks=blocks)
    return blocks_to_decide(ratio, [1.0], margins=Margins(*test.within, then=2 * LEVEL - 1)), False


def _bound(distance: float, blocks: int, random: np.random.Generator) -> tuple[int | None, bool]:
    """A ratio or a budget: one series of positive values against a bound."""
    found = over_blocks(np.exp(0.03 * (random.standard_normal(blocks) + distance)).tolist())
    assert found.interval is not None
    if not found.interval[0] <= 1 <= found.interval[1]:
        return None, True
    return blocks_to_decide(found, [1.0]), False


def _difference(distance: float, blocks: int, random: np.random.Generator) -> tuple[int | None, bool]:
    """Values of either sign against zero."""
    found = over_blocks((random.standard_normal(blocks) + distance).tolist())
    assert found.interval is not None
    if not found.interval[0] <= 0 <= found.interval[1]:
        return None, True
    return blocks_to_decide(found, [0.0]), False


def _rises(distance: float, blocks: int, random: np.random.Generator) -> tuple[int | None, bool]:
    """A curve of four points, of which the last lies so many deviations above the first."""
    logs = random.standard_normal((4, blocks)) / math.sqrt(2) + distance * np.linspace(0, 1, 4)[:, None]
    test = rises(np.exp(0.03 * logs).tolist())
    if test.verdict != "undecided":
        return None, True
    found = Estimate(estimate=test.ratio, interval=test.interval, blocks=blocks)
    return blocks_to_decide(found, [test.bound], level=test.level, then=test.level), False


@cache
def _starts_to_decide(having: int, tried: int) -> int | None:
    return starts_to_decide(having, tried, 0.9)


def _share(distance: float, blocks: int, random: np.random.Generator) -> tuple[int | None, bool]:
    """A budget of 90% of starts; `distance` from 0.2 to 4 are shares of all starts from 0.985 down to 0.3."""
    having = int(random.binomial(blocks, 1 - 0.7 * (distance / 4)))
    low, high = share_interval(having, blocks)
    if low >= 0.9 or high < 0.9:
        return None, True
    return _starts_to_decide(having, blocks), False


KINDS: Mapping[str, Callable[[float, int, np.random.Generator], tuple[int | None, bool]]] = {
    "ratio or budget": _bound,
    "difference": _difference,
    "equal": _equal,
    "ratio, or equal within 1%": _ratio,
    "order of three": _order,
    "shape, rises over four points": _rises,
    "budget with `of_starts`": _share,
}


def decided_by_kind(kind: str, blocks: int, repetitions: int) -> Sequence[bool]:
    """Of undecided experiments that name a number of blocks, whether a fresh one of as many is decided, by any true
    distance from the bound between 0.2 and 4 deviations."""
    random = np.random.default_rng(75)
    decided: list[bool] = []
    while len(decided) < repetitions:
        distance = random.uniform(0.2, 4)
        needed, _ = KINDS[kind](distance, blocks, random)
        if needed is not None:
            decided.append(KINDS[kind](distance, needed, random)[1])
    return decided


def wrong_among_answers(claims: int, scatter: float, repetitions: int, blocks: int = 10) -> int:
    """How many runs of so many claims, judged together, answer any of them wrongly: that one side is ahead, where it is
    by exactly the margin of 5%, or where both are equal, by turns. A ratio scatters by so much."""
    random = np.random.default_rng(76)
    truths = [1.05 if number % 2 else 1.0 for number in range(claims)]

    def judge_one(claim: _Claim, evidence: _Level) -> _Verdict:
        test = equal_within(np.exp(claim.values).tolist(), 0.05, evidence.level)
        assert test.outer is not None
        verdict = or_equal(rule(test.outer, (1.0, None)), test, evidence.level).verdict
        return _Verdict(claim.id, verdict, 0.05, test.outer)

    wrong = 0
    with patch.object(together, "judge_claim", judge_one):
        for _ in range(repetitions):
            stated = [
                _Claim(str(number), "ratio", math.log(truth) + scatter * random.standard_normal(blocks))
                for number, truth in enumerate(truths)
            ]
            results = together.judge_claims(cast("Any", stated), cast("Any", _Level(LEVEL)), "together")
            wrong += any(
                result.verdict in (("equal", "refuted") if truth > 1 else ("upheld", "refuted"))
                for result, truth in zip(results, truths, strict=True)
            )
    return wrong
