"""Runs that drift, for all contenders or for one, and how often even ones are accused."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from fairtrial.judge.checks.drift_over_blocks import ceilings_of, drift, drift_over_blocks, why_doubtful
from fairtrial.judge.checks.model import Finding
from fairtrial.record.calibration import BlockCeiling
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found

CHANGE, ALPHA = (drift_over_blocks.thresholds[key].value for key in ("change", "alpha"))
RATES = {"a": 4000.0, "b": 2000.0, "c": 1000.0}


def findings(course: Callable[[str, int], float], blocks: int, stacks: str = "abc") -> list[Finding]:
    """Of stacks whose goodput follows this course over the blocks, from 1, and scatters by 2%."""
    random = np.random.default_rng(blocks)
    record = an_experiment(*stacks, blocks=blocks).record()
    noise = {
        (name, block): np.exp(0.02 * random.standard_normal()) for name in stacks for block in range(1, blocks + 1)
    }
    return found(
        "drift-over-blocks",
        record,
        trials_of(
            record, lambda name, block: a_trial().serving(RATES[name] * course(name, block) * noise[name, block])
        ),
    )


def test_a_machine_that_slows_down_is_seen_over_all_trials(snapshot: object) -> None:
    (finding,) = findings(lambda _, block: 1 - 0.05 * block, 5)
    assert (finding.severity, finding.trial) == ("warning", None)
    assert finding.evidence == snapshot
    assert "by ratios" in finding.remedy


def test_a_contender_that_slows_down_alone_is_named() -> None:
    names = [finding.evidence.split(":")[0] for finding in findings(lambda n, b: 1 - 0.03 * b * (n == "a"), 12)]
    assert "a" in names and "b" not in names and "c" not in names


def test_of_two_contenders_each_drifts_beside_the_other(snapshot: object) -> None:
    evidence = [finding.evidence for finding in findings(lambda n, b: 1 - 0.03 * b * (n == "a"), 12, "ab")]
    assert evidence == snapshot


def test_a_drift_of_which_nobody_can_be_sure_is_noted(snapshot: object) -> None:
    """Over twenty blocks a falls by 7%: less than a warning asks for."""
    (finding,) = findings(lambda name, block: 1 - 0.0035 * block * (name == "a"), 20)
    assert finding.severity == "note"
    assert finding.evidence == snapshot


def test_blocks_that_are_like_the_ones_before_them_are_noted(snapshot: object) -> None:
    """Goodput of a goes up and down over some six blocks, and ends where it began."""
    (finding,) = findings(lambda name, block: 1 + 0.08 * math.sin(block) * (name == "a"), 20)
    assert finding.severity == "note"
    assert finding.evidence == snapshot


@pytest.mark.parametrize("conditions", [2, 5])
def test_chance_is_noted_in_five_of_a_hundred_runs(conditions: int) -> None:
    """One of all their series, independent ones: more than 69 of 1,000 come less than once in 250 simulations."""
    random = np.random.default_rng(conditions)
    series = 1 if conditions == 2 else conditions
    noted = sum(
        any(
            why_doubtful((0.05 * random.standard_normal(20)).tolist(), 0.05, conditions) is not None
            for _ in range(series)
        )
        for _ in range(1000)
    )
    assert 5 <= noted <= 69


@pytest.mark.parametrize(
    ("course", "blocks"),
    [
        (lambda _name, _block: 1.0, 20),
        (lambda _name, block: 1 - 0.002 * block, 20),  # 4% in all: too small to matter
        (lambda _name, block: 1 + 0.2 * (block % 2), 20),  # every other block is slow, and none later than another
        (lambda _name, block: 1 - 0.05 * block, 3),  # nine trials
    ],
)
def test_what_does_not_drift_is_not_accused(course: Callable[[str, int], float], blocks: int) -> None:
    assert findings(course, blocks) == []


@pytest.mark.parametrize("length", [10, 25, 100])
def test_chance_is_hardly_ever_taken_for_a_drift(length: int) -> None:
    """At a rate of 0.1%, more than four of 1,000 are found less than once in 250 simulations (binomial)."""
    random = np.random.default_rng(length)
    accused = sum(
        drift((0.1 * random.standard_normal(length)).tolist(), CHANGE, ALPHA) is not None for _ in range(1000)
    )
    assert accused <= 4


@pytest.mark.parametrize("change", [0.0, -0.02])
def test_a_ceiling_that_drifts_is_the_machine_s(change: float, snapshot: object) -> None:
    """Twelve blocks with stacks as fast as ever: what the load engine reaches of a server that does nothing falls."""
    record = an_experiment("a", "b", blocks=12).record()
    trials = [
        trial.model_copy(update={"ceiling": ceiling(50_000 * (1 + change * trial.block))})
        for trial in trials_of(record, lambda name, block: a_trial().serving(1000 + block % 3))
    ]
    findings = found("drift-over-blocks", record, trials)
    assert [finding.severity for finding in findings] == (["warning"] if change else [])
    assert [finding.evidence for finding in findings] == snapshot


def test_conditions_with_the_same_ceilings_are_one_series() -> None:
    """The last block was cut off before b was tried; c has another load."""
    record = an_experiment("a", "b", "c", blocks=3).record()
    trials = [
        trial.model_copy(update={"ceiling": ceiling(1000 * trial.block + (trial.condition.startswith("c/")))})
        for trial in trials_of(record, a_trial())
        if not (trial.block == 3 and trial.condition.startswith("b/"))
    ]
    a, b, c = (each.id for each in record.conditions)
    assert ceilings_of(trials) == {(a, b): {1: 1000, 2: 2000, 3: 3000}, (c,): {1: 1001, 2: 2001, 3: 3001}}


def ceiling(per_second: float) -> BlockCeiling:
    return BlockCeiling(per_second=per_second, slices_per_second=[per_second], machine=None)
