"""Claims about a property: it holds in every trial, or in none; trials that are too short to tell do not count."""

from typing import Any

import pytest

from tests.builders import TrialBuilder, a_trial
from tests.builders.figures import tallied
from tests.judge.claims.scene import served, verdict

THREE = {"fast": 3000.0, "middle": 2000.0, "slow": 1000.0}


def losing(from_block: int) -> Any:
    def make(_name: str, block: int) -> TrialBuilder:
        return a_trial().storing(missing=12) if block >= from_block else a_trial().storing()

    return make


@pytest.mark.parametrize(
    ("from_block", "holds", "expected"),
    [
        (9, True, "upheld"),
        (1, True, "refuted"),
        (5, True, "refuted"),
        (9, False, "refuted"),
        (1, False, "upheld"),
        (5, False, "undecided"),
    ],
)
def test_properties_hold_in_every_trial_or_in_none(from_block: int, holds: bool, expected: str) -> None:
    claim = verdict("property", losing(from_block), "fast", of="fast", property="no-write-lost", holds=holds)
    assert claim.verdict == expected, claim.sentence
    assert claim.estimate is None
    if from_block == 1:
        assert "trial 1: 12 missing" in claim.sentence


def test_a_trial_without_a_say_leaves_a_property_undecided(snapshot: object) -> None:
    def make(_name: str, block: int) -> TrialBuilder:
        return a_trial().failing("start", "the port was taken") if block == 3 else a_trial().storing()

    claim = verdict("property", make, "fast", of="fast", property="no-write-lost")
    assert (claim.verdict, claim.reason) == ("undecided", snapshot)


def test_answers_to_all_and_uniform_picks(snapshot: object) -> None:
    assert verdict("property", served(THREE), "fast", of="fast", property="all-answered").verdict == "upheld"
    assert verdict("property", served(THREE), "fast", of="fast", property="picks-uniform").verdict == "upheld"

    def short(_name: str, block: int) -> TrialBuilder:
        return a_trial().serving(1000 if block == 2 else 100)

    keys: dict[str, Any] = {"of": "fast", "property": "picks-uniform"}
    assert verdict("property", short, "fast", **keys).verdict == "upheld"
    too_short = verdict("property", served({"fast": 100.0}), "fast", **keys)
    assert (too_short.verdict, too_short.reason) == ("undecided", snapshot)
    denied = verdict("property", served({"fast": 100.0}), "fast", **keys, holds=False)
    assert (denied.verdict, denied.reason) == ("undecided", snapshot)
    assert "cannot tell" in denied.sentence

    few_rows = tallied([1 + answer % 500 for answer in range(12_000)])

    def biased(_name: str, _block: int) -> TrialBuilder:
        return a_trial().picking(few_rows)

    def biased_or_short(name: str, block: int) -> TrialBuilder:
        return short(name, 1) if block == 2 else biased(name, block)

    assert verdict("property", biased, "fast", **keys, holds=False).verdict == "upheld"
    one_short = verdict("property", biased_or_short, "fast", **keys, holds=False)
    assert (one_short.verdict, one_short.reason) == ("undecided", snapshot)

    def erring(_name: str, _block: int) -> TrialBuilder:
        return a_trial().erring(timeout=38)

    claim = verdict("property", erring, "fast", of="fast", property="all-answered", holds=False)
    assert claim.verdict == "upheld" and "right answers to 12,038 requests" in claim.sentence
