"""Times that fall among requests without an end are lower bounds: they can refute an `at_most`, and uphold none."""

from collections.abc import Container
from typing import Any

import pytest

from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.judge.claims.scene import WOBBLE

ALL = range(1, 100)


def verdict(
    kind: str, min_seconds: float, *, blocks: int = 5, bounded: Container[int] = ALL, **keys: Any
) -> ClaimResult:
    """On trials with a median of 4 ms and a p99 of 16 ms, in some of which times from `min_seconds` on are bounds."""

    def make(name: str, block: int) -> TrialBuilder:
        trial = a_trial().serving(4000 * WOBBLE[block % 5])
        return trial.unanswered_from(min_seconds) if block in bounded else trial

    record = an_experiment("a", "b", blocks=blocks).stating(kind, of="a", **keys).record()
    return judge(record, trials_of(record, make), interrupted=False).claims[0]


@pytest.mark.parametrize(
    ("bounds", "exact", "bounded"),
    [
        ({"at_most": "50 ms"}, "upheld", "undecided"),
        ({"at_most": "10 ms"}, "refuted", "refuted"),
        ({"at_least": "10 ms"}, "upheld", "upheld"),
        ({"at_least": "50 ms"}, "refuted", "undecided"),
        ({"at_least": "10 ms", "at_most": "50 ms"}, "upheld", "undecided"),
        ({"at_least": "5 ms", "at_most": "10 ms"}, "refuted", "refuted"),
    ],
)
def test_a_budget(bounds: dict[str, Any], exact: str, bounded: str, snapshot: object) -> None:
    assert verdict("budget", 0.017, metric="response_time_p99", **bounds).verdict == exact
    claim = verdict("budget", 0.015, metric="response_time_p99", **bounds)
    assert claim.verdict == bounded
    if bounded == "undecided":
        assert claim.sentence == snapshot


def test_a_percentile_below_all_of_them_is_exact() -> None:
    assert verdict("budget", 0.010, metric="response_time_p50", at_most="5 ms").verdict == "upheld"
    assert verdict("budget", 0.010, metric="service_time_p99", at_most="50 ms").verdict == "upheld"
    assert verdict("budget", 0.010, metric="goodput", at_least="1,000/s").verdict == "upheld"


def test_of_a_ratio_and_a_difference_with_a_bound_in_it_nothing_follows(snapshot: object) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [("ratio", {"at_most": 2.0}), ("difference", {"at_most": "50 ms"})]
    for kind, bounds in cases:
        assert verdict(kind, 0.017, to="b", metric="response_time_p99", **bounds).verdict == "upheld"
        claim = verdict(kind, 0.010, to="b", metric="response_time_p99", **bounds)
        assert claim.verdict == "undecided" and claim.estimate is None and claim.interval is None
        assert claim.sentence == snapshot


def test_the_sentence_and_the_result_say_that_the_estimate_is_a_lower_bound(snapshot: object) -> None:
    claim = verdict("budget", 0.015, metric="response_time_p99", at_most="50 ms")
    assert claim.estimate_is_lower_bound and claim.interval_open_above
    assert claim.sentence == snapshot
    exact = verdict("budget", 0.017, metric="response_time_p99", at_most="50 ms")
    assert not exact.estimate_is_lower_bound and not exact.interval_open_above and " > " not in exact.sentence


def test_one_block_of_twelve_whose_time_is_the_longest_leaves_median_and_interval_exact() -> None:
    budget: dict[str, Any] = {"metric": "response_time_p99", "at_most": "50 ms", "blocks": 12}
    slowest = max(range(1, 13), key=lambda block: 1 / WOBBLE[block % 5])
    claim = verdict("budget", 0.015, bounded={slowest}, **budget)
    assert claim.verdict == "upheld" and not claim.estimate_is_lower_bound and not claim.interval_open_above
    fast = [block for block in range(1, 13) if WOBBLE[block % 5] > 1]
    moved = verdict("budget", 0.015, bounded=fast, **budget)
    assert moved.verdict == "undecided" and moved.estimate_is_lower_bound


def test_of_a_share_of_starts_nothing_is_said_where_it_is_not_known_of_a_start() -> None:
    share: dict[str, Any] = {"metric": "response_time_p99", "of_starts": 0.5, "blocks": 20}
    claim = verdict("budget", 0.015, bounded={4}, at_most="50 ms", **share)
    assert claim.verdict == "undecided" and claim.estimate is None and "of 20 starts" not in claim.sentence
    assert verdict("budget", 0.017, bounded={4}, at_most="50 ms", **share).verdict == "upheld"
    # A start whose time is beyond the budget by its lower bound alone breaks it for certain.
    broken = verdict("budget", 0.015, at_most="10 ms", **share)
    assert broken.verdict == "refuted" and broken.estimate == 0
