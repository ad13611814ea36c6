"""A remark on percentiles of closed loads that were measured at different rates."""

from typing import Any

import pytest

from tests.judge.claims.scene import served, verdict

REMARK = "these times were measured at different rates (a at 8,000/s, b at 4,000/s)"
COMPARED: dict[str, dict[str, Any]] = {
    "ratio": {"of": "a", "to": "b", "at_most": 2},
    "difference": {"of": "a", "to": "b", "at_most": "1 s"},
    "equal": {"of": "a", "to": "b", "within": 0.1},
    "order": {"order": ["a", "b"]},
}


@pytest.mark.parametrize("kind", COMPARED)
def test_percentiles_of_closed_loads_at_different_rates_carry_a_remark(kind: str) -> None:
    make = served({"a": 8000.0, "b": 4000.0})
    assert REMARK in verdict(kind, make, "a", "b", metric="response_time_p99", **COMPARED[kind]).sentence


def test_alike_rates_carry_none() -> None:
    make = served({"a": 4200.0, "b": 4000.0})
    claim = verdict("ratio", make, "a", "b", metric="response_time_p99", **COMPARED["ratio"])
    assert "different rates" not in claim.sentence


def test_other_metrics_carry_none() -> None:
    make = served({"a": 8000.0, "b": 4000.0})
    assert "different rates" not in verdict("ratio", make, "a", "b", of="a", to="b", at_most=3).sentence
