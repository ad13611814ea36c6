"""Where connections were passed over, claims about times are undecided, and those about counts stand."""

import pytest

from fairtrial.record.engine_summary import ConnectionAnswers
from tests.builders import TrialBuilder, a_trial
from tests.judge.claims.scene import verdict

FEW = ConnectionAnswers(
    connections=16,
    least=0,
    most=3000,
    without=12,
    evenness=0.25,
    evenness_in_slices=0.25,
    slice_seconds=0.01,
)


def preferring(_name: str, _block: int) -> TrialBuilder:
    return a_trial().but(connection_answers=FEW)


@pytest.mark.parametrize(
    ("metric", "bound", "expected"),
    [
        ("response_time_p99", "1 s", "undecided"),
        ("response_time_max", "1 s", "undecided"),
        ("goodput", "9,000/s", "upheld"),
        ("errors", "1%", "upheld"),
        ("server_cpu_per_1000_requests", "1 s", "upheld"),
    ],
)
def test_by_what_the_claim_is_about(metric: str, bound: str, expected: str) -> None:
    claim = verdict("budget", preferring, "fast", of="fast", metric=metric, at_most=bound)
    assert claim.verdict == expected
    if expected == "undecided":
        assert "uneven-connections" in (claim.reason or "")
