"""A remark on the figure that an overhead or a difference is measured from."""

import pytest

from tests.builders import a_trial
from tests.judge.claims.scene import served, verdict

RATES = served({"a": 2000.0, "b": 1000.0})


def test_an_overhead_says_its_baselines_own_uncertainty(snapshot: object) -> None:
    claim = verdict("budget", RATES, "a", "b", of="b", metric="overhead", baseline="a", at_most="1 ms")
    assert claim.sentence == snapshot
    assert "/s (95% interval " in claim.sentence.partition("By itself")[2]


def test_a_difference_says_the_uncertainty_of_what_it_is_taken_from(snapshot: object) -> None:
    claim = verdict("difference", RATES, "a", "b", of="a", to="b", metric="goodput", at_least="500/s")
    assert claim.verdict == "upheld"
    assert claim.sentence == snapshot


def test_a_baseline_without_a_trial_has_none() -> None:
    claim = verdict(
        "difference", lambda name, block: None if name == "b" else a_trial(), "a", "b", of="a", to="b", at_least="1/s"
    )
    assert "By itself" not in claim.sentence


@pytest.mark.parametrize(("kind", "keys"), [("ratio", {"to": "b", "at_least": 2}), ("budget", {"at_least": "1/s"})])
def test_other_claims_have_none(kind: str, keys: dict[str, object]) -> None:
    assert "By itself" not in verdict(kind, RATES, "a", "b", of="a", **keys).sentence
