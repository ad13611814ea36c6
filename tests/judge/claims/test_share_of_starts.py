"""A budget that a share of all starts has to keep."""

import pytest
from pydantic import ValidationError

from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of


def judged(blocks: int, slow: set[int], of_starts: float | None = 0.9) -> ClaimResult:
    """p99 at most 50 ms, where it is below but in the blocks `slow`."""
    experiment = an_experiment("a", blocks=blocks).stating(
        "budget", of="a", metric="response_time_p99", at_most="50 ms", of_starts=of_starts
    )
    record = experiment.record()

    def make(_name: str, block: int) -> TrialBuilder:
        return a_trial().serving(400.0 if block in slow else 4000.0)  # its times follow from its rate

    (claim,) = judge(record, trials_of(record, make), interrupted=False).claims
    return claim


def test_a_budget_that_three_of_ten_starts_break_is_kept_by_a_typical_one_only() -> None:
    slow = {3, 4, 8, 11, 14, 15, 18, 22, 26, 29, 33, 36}
    assert judged(40, slow, of_starts=None).verdict == "upheld"
    assert "in a typical start" in judged(40, slow, of_starts=None).sentence
    claim = judged(40, slow)
    assert claim.verdict == "refuted" and claim.estimate == pytest.approx(0.7)
    assert "In 28 of 40 starts" in claim.sentence and claim.asked == "at least 90% of starts"


def test_every_start_of_thirty_six_upholds_ninety_percent(snapshot: object) -> None:
    assert judged(36, set()).verdict == "upheld"
    claim = judged(35, set())
    assert claim.verdict == "undecided" and claim.sentence == snapshot


def test_where_no_number_of_starts_is_sure_to_decide_it_says_what_is_proven(snapshot: object) -> None:
    claim = judged(40, {3, 8, 14, 22})
    assert claim.verdict == "undecided" and claim.interval is not None
    assert claim.sentence == snapshot
    assert judged(40, {3, 8, 14, 22}, of_starts=0.76).verdict == "upheld"


def test_a_share_is_between_none_and_all() -> None:
    with pytest.raises(ValidationError, match="of_starts"):
        judged(3, set(), of_starts=1.0)
