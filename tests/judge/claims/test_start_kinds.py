"""Verdicts of three and four blocks stand where another kind of start than those that were met would not turn them."""

from typing import Any

import pytest

from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment, trials_of


def verdict(kind: str, blocks: int, factor: float = 1.75, **claim: Any) -> ClaimResult:
    """On two contenders of which one serves so many times as much as the other in each block."""
    rates = {"a": 1000 * factor, "b": 1000.0}
    record = an_experiment("a", "b", blocks=blocks).stating(kind, **claim).record()

    def at_its_rate(trial: TrialRecord) -> TrialRecord:
        assert trial.engine is not None
        rate = rates[trial.condition[0]]
        return trial.model_copy(update={"engine": trial.engine.model_copy(update={"goodput_per_second": rate})})

    trials = [at_its_rate(trial) for trial in trials_of(record, a_trial())]
    return judge(record, trials, interrupted=False).claims[0]


PAIR = {"of": "a", "to": "b", "metric": "goodput"}


@pytest.mark.parametrize(
    ("kind", "near", "far", "decision"),
    [
        ("ratio", PAIR | {"at_least": 1.5}, PAIR | {"at_least": 1.1}, "upheld"),
        ("ratio", PAIR | {"at_most": 1.3}, PAIR | {"at_most": 1.1}, "refuted"),
        ("difference", PAIR | {"at_least": "100/s"}, PAIR | {"at_least": "-200/s"}, "upheld"),
        ("budget", {"of": "a", "metric": "goodput", "at_least": "1500/s"}, {"of": "a", "at_least": "1100/s"}, "upheld"),
        ("equal", PAIR | {"within": 0.5}, PAIR | {"within": 0.1}, "refuted"),
    ],
)
def test_three_blocks_decide_what_is_further_off_than_kinds_of_starts_are(
    kind: str, near: dict[str, Any], far: dict[str, Any], decision: str, snapshot: object
) -> None:
    for blocks in (3, 4):
        withheld = verdict(kind, blocks, **near)
        assert withheld.verdict == "undecided"
        assert withheld.sentence == snapshot
        assert verdict(kind, blocks, **({"metric": "goodput"} | far)).verdict == decision
    assert verdict(kind, 5, **near).verdict == decision


def test_an_order_likewise() -> None:
    order = {"order": ["a", "b"], "metric": "goodput"}
    assert verdict("order", 3, **order).verdict == "upheld"
    assert verdict("order", 3, factor=1.3, **order).verdict == "undecided"
    assert verdict("order", 5, factor=1.3, **order).verdict == "upheld"
