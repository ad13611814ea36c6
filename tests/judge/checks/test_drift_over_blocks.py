"""Runs that drift, for all contenders or for one, and how often even ones are accused."""

from collections.abc import Callable

import numpy as np
import pytest

from fairtrial.judge.checks.drift_over_blocks import CHECK, drift
from fairtrial.judge.checks.model import Finding
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found

THRESHOLDS = CHECK.thresholds_with({})
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


def test_a_machine_that_slows_down_is_seen_over_all_trials() -> None:
    (finding,) = findings(lambda _, block: 1 - 0.05 * block, 5)
    assert (finding.severity, finding.trial) == ("warning", None)
    assert finding.evidence.startswith("over 15 trials in their order, goodput fell by 2")
    assert "by ratios" in finding.remedy


def test_a_contender_that_slows_down_alone_is_named() -> None:
    names = [finding.evidence.split(":")[0] for finding in findings(lambda n, b: 1 - 0.03 * b * (n == "a"), 12)]
    assert "a" in names and "b" not in names and "c" not in names


def test_of_two_contenders_each_drifts_beside_the_other() -> None:
    evidence = [finding.evidence for finding in findings(lambda n, b: 1 - 0.03 * b * (n == "a"), 12, "ab")]
    assert any(words.startswith("a: over 12 blocks, its goodput fell by") for words in evidence)
    assert any(words.startswith("b: over 12 blocks, its goodput rose by") for words in evidence)


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
    accused = sum(drift((0.1 * random.standard_normal(length)).tolist(), THRESHOLDS) is not None for _ in range(1000))
    assert accused <= 4
