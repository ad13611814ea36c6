"""Ten designs that mislead: each is named before the first trial, with what follows from it by arithmetic.

Two of them are honest by the file, and only trials can tell: that a median is at the floor, and that stack and database
share processors. Here they are quiet.
"""

from typing import Any

import pytest

from fairtrial.judge.design import flaws_of
from tests.judge.design.designs import CLOSED, OPEN, budget, design, ratio

POOLS = {
    "workload": "query-chain",
    "service": "postgresql",
    "options": {"long_milliseconds": 20},
    "stacks": ["a:one", "a:sixteen"],
}

DESIGNS: dict[str, tuple[dict[str, Any], dict[str, Any], str, str, str]] = {
    "64 connections on a call of 10 ms": (
        ratio("b", "a"),
        {"concurrency_budget": 64},
        "warning",
        "shared-cap",
        "6,400/s at most: where both reach it, they are equal, whatever an answer costs them; it can be upheld only "
        "where a stays below 4,267/s",
    ),
    "16 connections on a call of 10 ms": (
        ratio("b", "a"),
        {"load": {**CLOSED, "connections": 16}},
        "warning",
        "shared-cap",
        "it can be upheld only where a stays below 1,067/s",
    ),
    "p99 of a closed load": (
        budget("a", metric="response_time_p99", at_most="20 ms"),
        {},
        "warning",
        "closed-percentile",
        "hide in p99",
    ),
    "goodput of an open load": (
        {"kind": "equal", "of": "a", "to": "b"},
        {"load": OPEN},
        "warning",
        "open-goodput",
        "goodput is that of 2,000/s for each contender that keeps up",
    ),
    "pools of 1 and 16": (
        ratio("a:sixteen", "a:one", at_least=2),
        POOLS,
        "stop",
        "unequal-budgets",
        "DB_POOL lets a:sixteen do 16 at once and a:one 1",
    ),
    "one connection, pools of 1 and 16": (
        {"kind": "equal", "of": "a:sixteen", "to": "a:one"},
        {**POOLS, "load": {**CLOSED, "connections": 1}},
        "warning",
        "connections-below-budget",
        "the most that is asked for at once is 1 (1 connection): what the larger is worth is not seen",
    ),
    "a window of 1.2 s of what compiles for 2 s": (
        ratio("a", "java"),
        {"workload": "plaintext", "stacks": ["a", "java"], "load": {**CLOSED, "duration_seconds": 1.2}},
        "warning",
        "window-too-short",
        "is not seen by `not-warm`, of java, which compile",
    ),
    "a gain of 1.8 where twenty sleeps allow 1.5": (
        ratio("batch at 16", "batch at 8", at_least=1.8),
        {
            "workload": "query-batch",
            "service": "postgresql",
            "stacks": ["batch"],
            "load": {"kind": "program"},
            "options": {"long_queries": 20, "short_per_long": 0, "long_milliseconds": 200},
            "sweep": {"parameter": "options.pool", "values": [8, 16]},
        },
        "stop",
        "gain-beyond-waiting",
        "waiting at once allows 1.5",
    ),
    "a budget below the delay": (
        budget("a", metric="response_time_p50", at_most="5 ms"),
        {},
        "stop",
        "impossible-bound",
        "it asks for at most 5 ms, and an answer takes 10 ms at least",
    ),
    "two processes on one processor": (
        ratio("a at 2", "a at 1"),
        {"stacks": ["a"], "sweep": {"parameter": "env.WEB_CONCURRENCY", "values": [1, 2]}},
        "warning",
        "too-few-processors",
        "a gain of 1.5 times by 2 processes over 1, and the server has 1 processor",
    ),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_it_is_named_before_the_first_trial(name: str) -> None:
    claim, more, severity, kind, words = DESIGNS[name]
    flaws = {flaw.kind: flaw for flaw in flaws_of(design(claim, **more))}
    assert kind in flaws, flaws
    assert flaws[kind].severity == severity and words in flaws[kind].evidence


@pytest.mark.parametrize(
    "more",
    [
        {"workload": "random-item", "service": "postgresql"},
        {"workload": "plaintext", "load": {**CLOSED, "connections": 1}},
        {"workload": "fan-out", "load": {**CLOSED, "connections": 1024}, "concurrency_budget": 1024},
    ],
)
def test_an_honest_comparison_is_quiet(more: dict[str, Any]) -> None:
    assert flaws_of(design(ratio("a", "b"), **more)) == []
