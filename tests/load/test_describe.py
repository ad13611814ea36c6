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
    ("values", "words"),
    [
        ({"kind": "closed"}, "closed, 16 connections, keep-alive"),
        (
            {"kind": "closed", "connections": 1, "threads": 1, "keep_alive": False},
            "closed, 1 connection, 1 thread, one request per connection",
        ),
        (
            {"kind": "closed", "connections": 2, "keep_alive": False, "local_ports": 500},
            "closed, 2 connections, one request per connection, only 500 local ports",
        ),
        (
            {"kind": "closed", "connections": 2, "threads": 10},
            "closed, 2 connections, 2 of 10 threads, keep-alive",
        ),
        (
            {"kind": "fixed", "requests": 30_000, "connections": 20, "threads": 10},
            "30,000 requests, 20 connections, 10 threads, keep-alive",
        ),
        (
            {"kind": "open", "rate_per_second": 500},
            "open, 500 requests/s, Poisson arrivals, up to 256 connections, keep-alive",
        ),
        (
            {"kind": "open", "rate_per_second": 1_000_000, "arrivals": "constant", "connections": 1},
            "open, 1,000,000 requests/s, constant arrivals, up to 1 connection, keep-alive",
        ),
    ],
)
def test_loads_of_an_experiment(values: dict[str, Any], words: str) -> None:
    assert load(**values).describe() == words


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "closed"}, "3 s after at least 1 s of warm-up"),
        ({"kind": "closed", "duration_seconds": 0.5, "warmup_seconds": 0}, "500 ms"),
        ({"kind": "open", "rate_per_second": 5, "duration_seconds": 125.5}, "125.5 s after at least 1 s of warm-up"),
        (
            {"kind": "open", "rate_per_second": 5, "drain_seconds": 0.5},
            "3 s after at least 1 s of warm-up, answers awaited for 500 ms after it",
        ),
        (
            {"kind": "open", "rate_per_second": 5, "drain_seconds": 0},
            "3 s after at least 1 s of warm-up, no answers awaited after it",
        ),
        (
            {"kind": "capacity", "objectives": OBJECTIVES, "drain_seconds": 4},
            "probes of 1 s, confirmed over 3 s, answers awaited for 4 s after it",
        ),
        ({"kind": "fixed", "requests": 100}, "from the first request to the last"),
        (
            {"kind": "fixed", "requests": 100, "warmup_seconds": 2},
            "from the first request to the last after at least 2 s of warm-up",
        ),
    ],
)
def test_lengths_of_an_experiments_load(values: dict[str, Any], words: str) -> None:
    assert load(**values).lengths() == words


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
