"""The rows of boards: what is accused, by which arithmetic, and what is not, because its board's tool explains it."""

from typing import Any

import pytest

from fairtrial_cross_examine.boards import all_boards, read_board
from fairtrial_cross_examine.boards.verdicts import ExaminedRow, examine_rows
from tests.fairtrial_cross_examine.boards.files import (
    ARENA_ROW,
    BY_OHA,
    BY_WRK,
    arena_framework,
    arena_profile,
    benchmarker,
    power_round,
    text_of,
)
from tests.lines import line_with


def examined(document: object, source: str = "data.json") -> list[ExaminedRow]:
    return examine_rows(read_board(text_of(document), source)[0])[0]


def arena(key: str, **changes: Any) -> object:
    return arena_framework({key: changes})


def power(test: str, *runs: dict[str, Any]) -> object:
    return power_round({test: list(runs) or [{}, {}]})


@pytest.mark.parametrize(
    ("board", "document"),
    [
        ("HttpArena", arena("baseline-512")),
        ("HttpArena", arena_profile({})),
        ("HttpArena", {"baseline-512": arena_profile({}), "current": {"cpu": "A Processor"}}),
        (None, {"frameworks": ["sparrow"], "rounds": [{"id": 1}]}),
        ("TechEmpower", power("json")),
        ("the-benchmarker", benchmarker(BY_WRK)),
        (None, {"sparrow": {"dir": "sparrow", "type": "tuned"}}),
        (None, {"results": {}}),
        (None, []),
        (None, ["text"]),
        (None, {"metrics": []}),
        (None, {"metrics": ["text"]}),
        (None, {"rawData": []}),
    ],
)
def test_a_board_is_known_by_the_structure_of_its_file(board: str | None, document: object) -> None:
    assert [name for name, each in all_boards().items() if each.recognises(document)] == ([board] if board else [])


STAND = [
    arena("baseline-512"),
    arena("pipelined-512", pipeline=16, avg_latency="63.00ms"),  # 15 of 16 × 512 under way
    arena("limited-conn-512", status_4xx=500_000, avg_latency="2.20ms"),  # rps counts 2xx alone
    arena("api-4-512", status_2xx=1_800_000),  # 15 s, whatever `duration` says
    arena("static-512"),
    power("json"),
    power("json", {"connect": 3}, {}),
    power("plaintext", {"totalRequests": 24_000_000, "latencyAvg": "1.40ms"}, {"latencyAvg": "20.10ms"}),
    power("query", {"latencyAvg": "60.10ms", "latencyMax": "90.00ms"}, {}),
    benchmarker(BY_WRK),
    benchmarker(BY_WRK | {"duration_ms": 5_033_317}),  # two of three routes did not run
    benchmarker(BY_WRK | {"total_requests_per_s": 60_000.5}),  # averages over routes keep no product
]


@pytest.mark.parametrize("document", STAND)
def test_rows_that_stand(document: object) -> None:
    assert {row.verdict for row in examined(document)} <= {"stands", "cannot be told"}
    assert examined(document)[0].verdict == "stands", examined(document)[0].says


ACCUSED = [
    (
        arena("baseline-512", avg_latency="5.20ms"),
        "too-much-time",
        "600,000 requests of 5.20 ms each take 512 clients 6.09 s, but the run lasted 5.00 s",
    ),
    (arena("pipelined-512", pipeline=16, avg_latency="83.00ms"), "too-much-time", "8,192 clients"),
    (
        arena("baseline-512", status_2xx=5_000, status_5xx=595_000),
        "errors-as-throughput",
        "595,000 status_5xx of 600,000 requests, and 120,000/s counts them all",
    ),
    (benchmarker(BY_WRK | {"minimum_latency": -6.14891469123652e18}), "impossible-times", "no time is below zero"),
    (benchmarker(BY_WRK | {"percentile_50": 4_000}), "impossible-times", "it cannot be less"),
    (power("json", {"latencyMax": "1.20ms"}, {}), "impossible-times", "it cannot be less"),
]


@pytest.mark.parametrize(("document", "kind", "says"), ACCUSED)
def test_rows_that_contradict_themselves(document: object, kind: str, says: str) -> None:
    row = examined(document)[0]
    assert (row.verdict, row.contradictions) == ("contradicts itself", [kind])
    assert says in row.says


UNTOLD = [
    (arena("static-512", avg_latency="40.00ms"), "wrk adds latencies"),
    (arena("json-tls-512", avg_latency="40.00us", p99_latency="4.00ms"), "in no latency of wrk"),
    (arena("baseline-h2-512", avg_latency="400.00ms", p99_latency="900.00ms"), "several streams"),
    (arena("unheard-of-512", avg_latency="400.00ms", p99_latency="900.00ms"), "which tool ran this profile"),
    (arena("baseline-512", avg_latency="0.42ms"), "most of its connections are in no latency"),
    (arena("latency-1m-512", target_rate=120_000), "a load at a rate"),
    (arena("baseline-512", rps=0, status_2xx=0, avg_latency="", p99_latency=""), "no answers"),
    (arena("baseline-512", avg_latency="", p99_latency=""), "too few figures"),
    (power("json", {"latencyAvg": "20.50ms"}, {}), "wrk adds latencies"),
    (power("json", {"5xx": 20_000}, {}), "20,000 of its 110,000 answers are neither 2xx nor 3xx"),
    (power("json", {"timeout": 900}, {}), "900 requests have no answer"),
    (power("json", {"totalRequests": 0}, {}), "it has no requests"),
    (power("json", {}), "too few figures"),  # one run for two levels: whose it is cannot be said
    (power("other-test", {}, {}, {}), "too few figures"),
    ({**power_round({}), "rawData": {"json": {"0": ["14341", "25935"]}}}, "it has a rate alone"),
    (benchmarker(BY_OHA), "oha's p95"),
    (benchmarker(dict.fromkeys(BY_WRK, 0)), "no answers"),
]


@pytest.mark.parametrize(("document", "reason"), UNTOLD)
def test_rows_that_cannot_be_told_and_why(document: object, reason: str) -> None:
    row = examined(document)[0]
    assert (row.verdict, row.contradictions) == ("cannot be told", [])
    assert reason in row.says


def test_a_percentile_that_is_the_mean_is_told_from_chance_by_its_number(snapshot: object) -> None:
    same = {"avg_latency": "40.21ms", "p99_latency": "40.21ms"}
    others = [{"framework": f"sparrow-{number}"} for number in range(30)]
    once = [*others, same]
    assert not any(row.contradictions for row in examined(arena_profile(*once), "baseline-h2-512.json"))
    often = examined(arena_profile(*once, *(each | same for each in others[:3])), "baseline-h2-512.json")
    assert [row.contradictions for row in often[30:]] == [["mean-as-percentile"]] * 4
    assert line_with(often[-1].says, "both 40.2 ms,") == snapshot
    few_digits = [each | {"avg_latency": "40ms", "p99_latency": "40ms"} for each in others]
    assert not any(row.contradictions for row in examined(arena_profile(*few_digits), "baseline-h2-512.json"))


def test_a_level_has_its_connections_and_its_depth() -> None:
    rows = examined(power_round({"json": [{}, {}], "query": [{}, {}], "plaintext": [{}, {}]}))
    assert [(row.test, row.connections) for row in rows] == [
        ("json 16", 16),
        ("json 512", 512),
        ("query 1 queries", 512),
        ("query 20 queries", 512),
        ("plaintext 256", 256 * 16),
        ("plaintext 1024", 1024 * 16),
    ]


def test_contenders_that_a_round_numbers_have_their_names() -> None:
    document = power_round({"json": [{}, {}]})
    document["rawData"]["json"] = {"0": document["rawData"]["json"]["sparrow"], "7": [{}]}
    assert [row.contender for row in examined(document)] == ["sparrow", "sparrow", "7"]


def test_a_round_has_the_rows_of_its_profiles() -> None:
    rows = examined({"baseline-512": arena_profile({}), "static-512": arena_profile({}), "current": {}}, "1.json")
    assert [(row.test, row.tool) for row in rows] == [("baseline-512", "gcannon"), ("static-512", "wrk")]


@pytest.mark.parametrize(("mean", "accused"), [("4.50ms", []), ("4.80ms", ["too-much-time"])])
def test_a_row_without_counts_has_room_for_the_clock(mean: str, accused: list[str]) -> None:
    without = {key: None for key in ARENA_ROW if key.startswith("status_")}
    [row] = examined(arena_profile({**without, "avg_latency": mean}), "baseline-512.json")
    assert row.contradictions == accused  # 1.055 and 1.125 times the connections


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairtrial_cross_examine.boards.MOST_ROWS", 2)
    with pytest.raises(ValueError, match="more than 2 rows"):
        read_board(text_of([ARENA_ROW | {"rps": rate} for rate in (1, 2, 3)]), "data.json")
