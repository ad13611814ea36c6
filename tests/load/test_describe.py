"""Loads in words, as they are printed beside every figure."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from fairtrial.load.kinds import Load
from fairtrial.load.words import describe_seconds

OBJECTIVES = [{"name": "soon", "within_milliseconds": 50}]


def load(**values: Any) -> Load:
    """The load of an experiment file."""
    validated: Load = TypeAdapter(Load).validate_python(values)
    return validated


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "closed"},
        {"kind": "closed", "connections": 1, "threads": 1, "keep_alive": False},
        {"kind": "closed", "connections": 2, "keep_alive": False, "local_ports": 500},
        {"kind": "closed", "connections": 2, "threads": 10},
        {"kind": "fixed", "requests": 30_000, "connections": 20, "threads": 10},
        {"kind": "open", "rate_per_second": 500},
        {"kind": "open", "rate_per_second": 1_000_000, "arrivals": "constant", "connections": 1},
    ],
)
def test_loads_of_an_experiment(values: dict[str, Any], snapshot: object) -> None:
    assert load(**values).describe() == snapshot


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "closed"},
        {"kind": "closed", "duration_seconds": 0.5, "warmup_seconds": 0},
        {"kind": "open", "rate_per_second": 5, "duration_seconds": 125.5},
        {"kind": "open", "rate_per_second": 5, "drain_seconds": 0.5},
        {"kind": "open", "rate_per_second": 5, "drain_seconds": 0},
        {"kind": "capacity", "objectives": OBJECTIVES, "drain_seconds": 4},
        {"kind": "fixed", "requests": 100},
        {"kind": "fixed", "requests": 100, "warmup_seconds": 2},
    ],
)
def test_lengths_of_an_experiments_load(values: dict[str, Any], snapshot: object) -> None:
    assert load(**values).lengths() == snapshot


def test_two_rates_that_differ_read_differently() -> None:
    rates = [load(kind="open", rate_per_second=rate) for rate in (1234.5, 1234.6)]
    assert rates[0].describe() != rates[1].describe()


def test_lengths_of_time() -> None:
    assert [describe_seconds(seconds) for seconds in (10, 1.5, 0.25, 0.1, 0.0005)] == [
        "10 s",
        "1.5 s",
        "250 ms",
        "100 ms",
        "0.5 ms",
    ]
