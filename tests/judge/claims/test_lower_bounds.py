"""Times that fall among requests without an end are lower bounds: they can refute an `at_most`, and uphold none."""

from typing import Any

import pytest

from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from fairtrial.record.engine_summary import AtLeast
from fairtrial.record.model import TrialRecord
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.judge.claims.scene import WOBBLE


def with_bounds(trial: TrialRecord, min_seconds: float) -> TrialRecord:
    """The trial, in which the times from `min_seconds` on hold requests that nobody awaited to their end."""
    assert trial.engine
    at_least = AtLeast(count=200, min_seconds=min_seconds, longest_other_seconds=0.08)
    times = trial.engine.response_time.model_copy(update={"at_least": at_least})
    return trial.model_copy(update={"engine": trial.engine.model_copy(update={"response_time": times})})


def verdict(kind: str, min_seconds: float, **keys: Any) -> ClaimResult:
    """On trials with a median of 4 ms and a p99 of 16 ms."""

    def make(name: str, block: int) -> TrialBuilder:
        return a_trial().serving(4000 * WOBBLE[block % 5])

    record = an_experiment("a", "b", blocks=5).stating(kind, of="a", **keys).record()
    trials = [with_bounds(trial, min_seconds) for trial in trials_of(record, make)]
    return judge(record, trials, interrupted=False).claims[0]


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
def test_a_budget(bounds: dict[str, str], exact: str, bounded: str) -> None:
    assert verdict("budget", 0.017, metric="response_time_p99", **bounds).verdict == exact
    claim = verdict("budget", 0.015, metric="response_time_p99", **bounds)
    assert claim.verdict == bounded
    if bounded == "undecided":
        assert "falls among requests that had no answer in time" in claim.sentence
        assert "A lower rate at which all requests are answered would decide it" in claim.sentence


def test_a_percentile_below_all_of_them_is_exact() -> None:
    assert verdict("budget", 0.010, metric="response_time_p50", at_most="5 ms").verdict == "upheld"
    assert verdict("budget", 0.010, metric="service_time_p99", at_most="50 ms").verdict == "upheld"
    assert verdict("budget", 0.010, metric="goodput", at_least="1,000/s").verdict == "upheld"


def test_of_a_ratio_and_a_difference_with_a_bound_in_it_nothing_follows() -> None:
    for kind, bounds in [("ratio", {"at_most": 2.0}), ("difference", {"at_most": "50 ms"})]:
        assert verdict(kind, 0.017, to="b", metric="response_time_p99", **bounds).verdict == "upheld"
        assert verdict(kind, 0.010, to="b", metric="response_time_p99", **bounds).verdict == "undecided"
