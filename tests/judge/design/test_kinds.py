"""Each kind of flaw: a design that has it, and one near it that is honest."""

from typing import Any

import pytest

from fairtrial.judge.design import design_kinds
from tests.judge.design.designs import CLOSED, OPEN, RAMP, budget, flaws, only, ratio

CHAIN = {"workload": "query-chain", "service": "postgresql", "options": {"long_milliseconds": 20}}
BATCH = {
    "workload": "query-batch",
    "service": "postgresql",
    "stacks": ["batch"],
    "load": {"kind": "program"},
    "options": {"long_queries": 20, "short_per_long": 0, "long_milliseconds": 200},
    "sweep": {"parameter": "options.pool", "values": [2, 4, 8, 16, 32]},
}


def pools(*names: str, connections: int = 64, **more: Any) -> dict[str, Any]:
    return {**CHAIN, "stacks": list(names), "load": {**CLOSED, "connections": connections}, **more}


IMPOSSIBLE = {
    "goodput above connections ÷ delay": (budget("a", at_least="9,000/s"), {}, "at_least", "6,400/s at most"),
    "a median below the delay": (budget("a", metric="response_time_p50", at_most="5 ms"), {}, "at_most", "takes 10 ms"),
    "goodput above the rate": (budget("a", at_least="3,000/s"), {"load": OPEN}, "at_least", "2,000/s are asked for"),
    "a fixed number, done too soon": (
        budget("a", metric="elapsed", at_most="1 s"),
        {"load": {"kind": "fixed", "requests": 6400, "connections": 16}},
        "at_most",
        "wait for 4 s at least",
    ),
    "a job, done before its sleeps are": (
        budget("batch at 8", metric="elapsed", at_most="500 ms"),
        BATCH,
        "at_most",
        "alone take 600 ms",
    ),
    "about what nobody reaches": (budget("a", about="9,000/s"), {}, "about", "6,400/s at most"),
    "above the end of the search": (
        budget("a", metric="capacity", at_least="5,000/s"),
        {
            "load": {
                "kind": "capacity",
                "highest_per_second": 4000,
                "objectives": [{"name": "x", "within_milliseconds": 50}],
            }
        },
        "at_least",
        "up to 4,000/s",
    ),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_a_bound_that_nobody_can_keep_stops(case: str) -> None:
    claim, more, key, words = IMPOSSIBLE[case]
    flaw = only(flaws("impossible-bound", claim, **more))
    assert (flaw.severity, flaw.key, flaw.claim) == ("stop", key, "claim-1")
    assert words in flaw.evidence


POSSIBLE = {
    # A window of 3 s begins with 64 requests in flight: 21 a second more.
    "goodput at the cap": (budget("a", at_least="6,420/s"), {}),
    "a median at the delay": (budget("a", metric="response_time_p50", at_most="10 ms"), {}),
    "a head may come before the wait is over": (budget("a", metric="first_byte_time_p50", at_most="5 ms"), {}),
    "Poisson arrivals above the rate": (budget("a", at_least="2,050/s"), {"load": OPEN}),
    "no delay": (budget("a", at_least="900,000/s"), {"options": {"delay_milliseconds": 0}}),
    "most requests are short": (
        budget("a", metric="response_time_p90", at_most="5 ms"),
        {"workload": "query-mix", "service": "postgresql", "options": {"short_per_long": 19}},
    ),
    "short ones by themselves": (
        budget("a", metric="response_time_p99", request="short", at_most="5 ms"),
        {"workload": "query-mix", "service": "postgresql", "options": {"short_per_long": 1}},
    ),
}


@pytest.mark.parametrize("case", POSSIBLE)
def test_a_bound_that_somebody_might_keep_is_let_be(case: str) -> None:
    claim, more = POSSIBLE[case]
    assert flaws("impossible-bound", claim, **more) == flaws("certain-bound", claim, **more) == []


def test_a_search_for_a_time_below_the_delay_stops() -> None:
    load = {"kind": "capacity", "objectives": [{"name": "quick", "within_milliseconds": 5}]}
    flaw = only(flaws("impossible-bound", load=load))
    assert (flaw.severity, flaw.key, flaw.claim) == ("stop", "load.objectives[0].within_milliseconds", None)
    assert not flaws("impossible-bound", load={**load, "objectives": [{"name": "quick", "within_milliseconds": 15}]})


@pytest.mark.parametrize(
    "claim",
    [
        budget("a", metric="response_time_p50", at_least="9 ms"),
        budget("a", at_most="7,000/s"),
        budget("a", at_most="7,000/s", at_least="1,000/s"),
        budget("a", metric="response_time_p50", at_least="9 ms", at_most="20 ms"),
    ],
)
def test_a_bound_that_holds_whatever_happens_stops(claim: dict[str, Any]) -> None:
    """Where the other bound is a question, nothing is certain."""
    found_flaws = flaws("certain-bound", claim)
    if len({"at_least", "at_most"} & claim.keys()) > 1:
        assert not found_flaws
    else:
        assert only(found_flaws).severity == "stop" and "whatever" in found_flaws[0].evidence


def test_twenty_sleeps_allow_a_gain_of_a_half_and_no_more(snapshot: object) -> None:
    flaw = only(flaws("gain-beyond-waiting", ratio("batch at 16", "batch at 8", at_least=1.8), **BATCH))
    assert (flaw.severity, flaw.key) == ("stop", "at_least")
    assert flaw.evidence == snapshot and "at_least = 1.5" in flaw.remedy
    for honest in (ratio("batch at 16", "batch at 8", at_least=1.4), ratio("batch at 4", "batch at 2", at_least=1.8)):
        assert not flaws("gain-beyond-waiting", honest, **BATCH)
    elapsed = ratio("batch at 16", "batch at 8", metric="elapsed", at_most=0.5)
    assert only(flaws("gain-beyond-waiting", elapsed, **BATCH)).key == "at_most"


def test_where_there_is_work_beside_the_waits_a_larger_gain_is_only_warned_of() -> None:
    sweep = {"parameter": "load.connections", "values": [4, 8]}
    claim = ratio("a at 8", "a at 4", at_least=3)
    flaw = only(flaws("gain-beyond-waiting", claim, **{**CHAIN, "stacks": ["a"], "sweep": sweep}))
    assert flaw.severity == "warning" and "allows 2" in flaw.evidence
    assert not flaws("gain-beyond-waiting", claim, workload="plaintext", stacks=["a"], sweep=sweep)


def test_who_keeps_to_no_budget_may_gain_by_connections() -> None:
    """A cap by the contract stops nobody: only requests in flight do."""
    sweep = {"parameter": "load.connections", "values": [16, 64]}
    within, beyond = (ratio("a at 64", "a at 16", at_least=times) for times in (3, 5))
    assert only(flaws("gain-beyond-waiting", within, stacks=["a"], sweep=sweep)).severity == "warning"
    assert only(flaws("gain-beyond-waiting", beyond, stacks=["a"], sweep=sweep)).severity == "stop"
    assert not flaws("gain-beyond-waiting", within, stacks=["a"], sweep=sweep, concurrency_budget=64)


def test_a_contender_of_the_experiment_s_own_is_held_to_what_is_set_for_it(snapshot: object) -> None:
    described = {"directory": ".", "command": ["true"]}

    def own(**env: dict[str, str]) -> dict[str, Any]:
        contenders = {name: {**described, "env": of_one} for name, of_one in env.items()}
        return {"stacks": list(env), "contenders": contenders, "workload": "plaintext"}

    claim = ratio("mine", "theirs")
    (flaw,) = flaws("unequal-budgets", claim, **own(mine={"MAX_THREADS": "8"}, theirs={"MAX_THREADS": "2"}))
    assert flaw.evidence == snapshot
    assert not flaws("unequal-budgets", claim, **own(mine={"MAX_THREADS": "8"}, theirs={}))
    sweep = {"parameter": "load.connections", "values": [16, 64]}
    alone = {**own(mine={}), "workload": "fan-out", "options": {"delay_milliseconds": 10}, "sweep": sweep}
    assert not flaws("gain-beyond-waiting", ratio("mine at 64", "mine at 16", at_least=3), **alone)


def test_two_contenders_under_one_cap(snapshot: object) -> None:
    flaw = only(flaws("shared-cap", ratio("b", "a"), concurrency_budget=64))
    assert flaw.severity == "warning" and flaw.key == "load.connections"
    assert flaw.evidence == snapshot
    assert only(flaws("shared-cap", {"kind": "equal", "of": "a", "to": "b"}, concurrency_budget=64))
    assert "16 requests at once ÷ 10 ms" in only(flaws("shared-cap", ratio("b", "a"))).evidence


@pytest.mark.parametrize(
    "more",
    [
        {"load": {**CLOSED, "connections": 1024}, "concurrency_budget": 1024},  # 102,400/s: nobody reaches it
        {"options": {"delay_milliseconds": 0}},
        {"workload": "plaintext"},
        {"load": OPEN},
    ],
)
def test_no_cap_that_anybody_reaches(more: dict[str, Any]) -> None:
    assert not flaws("shared-cap", ratio("b", "a"), **more)


def test_unequal_pools_stop_unless_the_file_says_why(snapshot: object) -> None:
    claim = ratio("a:sixteen", "a:one", at_least=2)
    flaw = only(flaws("unequal-budgets", claim, **pools("a:sixteen", "a:one")))
    assert (flaw.severity, flaw.evidence) == ("stop", snapshot)
    stated = only(flaws("unequal-budgets", claim, **pools("a:sixteen", "a:one"), unequal_budgets="the pool is it"))
    assert stated.severity == "note" and "“the pool is it”" in stated.evidence
    threads = only(flaws("unequal-budgets", ratio("a", "b:few-threads"), stacks=["a", "b:few-threads"]))
    assert threads.evidence == snapshot
    order = {"kind": "order", "order": ["a:sixteen", "b", "a:one"]}
    assert only(flaws("unequal-budgets", order, **pools("a:sixteen", "a:one", "b"))).key == "order"


@pytest.mark.parametrize("processors", [1, 3, 12])
@pytest.mark.parametrize(
    ("claim", "more"),
    [
        (ratio("a", "b"), {}),
        (ratio("a:one-process", "b:two-processes"), {"stacks": ["a:one-process", "b:two-processes"]}),
        (ratio("a:two-processes", "a"), {"stacks": ["a", "a:two-processes"], "instances": 2, "balancer": "nginx"}),
        # a sweep says it
        (
            ratio("a at 12", "a at 1"),
            {**CHAIN, "stacks": ["a"], "sweep": {"parameter": "env.DB_POOL", "values": [1, 12]}},
        ),
        # the smaller pool is never full
        (ratio("a:sixteen", "a:one"), pools("a:sixteen", "a:one", connections=1)),
        # nothing that is faster or slower
        (ratio("a:sixteen", "a:one", metric="peak_rss"), pools("a:sixteen", "a:one")),
    ],
)
def test_equal_budgets_and_those_that_are_told(claim: dict[str, Any], more: dict[str, Any], processors: int) -> None:
    assert not flaws("unequal-budgets", claim, processors=processors, **more)


def test_fewer_connections_than_the_larger_pool(snapshot: object) -> None:
    one = only(
        flaws("connections-below-budget", ratio("a:sixteen", "a:one"), **pools("a:sixteen", "a:one", connections=1))
    )
    assert one.severity == "warning" and one.evidence == snapshot
    assert "`connections = 32`" in one.remedy
    assert not flaws("connections-below-budget", ratio("a:sixteen", "a:one"), **pools("a:sixteen", "a:one"))
    assert not flaws("connections-below-budget", ratio("a", "b"), **pools("a", "b", connections=8))
    swept = {**CHAIN, "stacks": ["a"], "sweep": {"parameter": "env.DB_POOL", "values": [4, 32]}}
    assert only(
        flaws("connections-below-budget", ratio("a at 32", "a at 4"), load={**CLOSED, "connections": 16}, **swept)
    )


def test_a_job_with_fewer_operations_than_connections() -> None:
    assert (
        "20 operations" in only(flaws("connections-below-budget", ratio("batch at 32", "batch at 4"), **BATCH)).evidence
    )
    assert not flaws("connections-below-budget", ratio("batch at 16", "batch at 4"), **BATCH)


def test_a_budget_that_the_load_never_fills_is_noted() -> None:
    assert only(flaws("connections-below-budget", concurrency_budget=100)).severity == "note"
    assert not flaws("connections-below-budget", concurrency_budget=64)


PROCESSES = ["a:one-process", "a:two-processes"]
GAIN = ratio("a:two-processes", "a:one-process", at_least=1.5)


def test_a_gain_by_processes_needs_processors(snapshot: object) -> None:
    flaw = only(flaws("too-few-processors", GAIN, workload="plaintext", stacks=PROCESSES))
    assert flaw.severity == "stop" and flaw.evidence == snapshot
    # They may wait for the call meanwhile, or for a disk.
    assert only(flaws("too-few-processors", GAIN, stacks=PROCESSES)).severity == "warning"
    written = {"workload": "survey-insert", "service": "postgresql", "stacks": PROCESSES}
    assert only(flaws("too-few-processors", GAIN, **written)).severity == "warning"


@pytest.mark.parametrize("processors", [2, 12, None])
def test_processors_enough_or_not_known(processors: int | None) -> None:
    assert not flaws("too-few-processors", GAIN, workload="plaintext", stacks=PROCESSES, processors=processors)


def test_a_claim_says_how_many_processors_it_is_about() -> None:
    of_two, of_one = {**GAIN, "server_processors": 2}, {**GAIN, "server_processors": 1}
    refusal = only(flaws("too-few-processors", of_two, workload="plaintext", stacks=PROCESSES))
    assert (refusal.severity, refusal.key) == ("refusal", "server_processors")
    assert not flaws("too-few-processors", of_one, workload="plaintext", stacks=PROCESSES)
    assert not flaws("too-few-processors", of_two, workload="plaintext", stacks=PROCESSES, processors=2)
    no_gain = ratio("a:two-processes", "a:one-process", at_least=1.0)
    assert not flaws("too-few-processors", no_gain, workload="plaintext", stacks=PROCESSES)


def test_on_several_processors_too_few_stop_nobody() -> None:
    """A process may hinder itself on several processors, as by an interpreter's lock: three may gain more than two."""
    three = {"parameter": "env.WEB_CONCURRENCY", "values": [1, 3]}
    flaw = only(
        flaws(
            "too-few-processors",
            ratio("a at 3", "a at 1", at_least=2.5),
            workload="plaintext",
            stacks=["a"],
            sweep=three,
            processors=2,
        )
    )
    assert flaw.severity == "warning" and "which allows 2" in flaw.evidence


def test_pauses_hide_in_high_percentiles_of_closed_loads() -> None:
    p99 = budget("a", metric="response_time_p99", at_most="50 ms")
    flaw = only(flaws("closed-percentile", p99))
    assert flaw.severity == "warning" and "64 connections" in flaw.evidence and "`rate_per_second = 800`" in flaw.remedy
    assert not flaws("closed-percentile", p99, load=OPEN)
    assert not flaws("closed-percentile", budget("a", metric="response_time_p50", at_most="50 ms"))


def test_an_arrival_of_a_journey_is_more_than_one_request() -> None:
    steps = {name: {"get": "/", "journey": "walk"} for name in ("in", "out")}
    for requests, number in (({"in": {"get": "/"}}, 1), (steps, 0)):
        more = {"workload": {"requests": requests}, "service": "none", "load": OPEN}
        assert len(flaws("impossible-bound", budget("a", at_least="3,000/s"), **more)) == number


def test_goodput_that_is_compared_at_a_rate() -> None:
    for claim in (ratio("a", "b"), {"kind": "equal", "of": "a", "to": "b"}, {"kind": "order", "order": ["a", "b"]}):
        assert "2,000/s" in only(flaws("open-goodput", claim, load=OPEN)).evidence
    assert not flaws("open-goodput", ratio("a", "b", metric="response_time_p50"), load=OPEN)
    assert not flaws("open-goodput", budget("a", at_least="1,900/s"), load=OPEN)
    assert not flaws("open-goodput", ratio("a", "b"))
    assert "1,050/s" in only(flaws("open-goodput", ratio("a", "b"), load=RAMP)).evidence


def test_a_rate_that_connections_cannot_hold(snapshot: object) -> None:
    few = {**OPEN, "connections": 16}
    flaw = only(flaws("rate-beyond-connections", load=few))
    assert flaw.severity == "warning" and "20 requests at once" in flaw.evidence and "40" in flaw.remedy
    assert not flaws("rate-beyond-connections", load=OPEN)
    peak = only(flaws("rate-beyond-connections", load={**RAMP, "connections": 16}))
    assert peak.evidence == snapshot


def test_windows_too_short_for_what_compiles() -> None:
    short = {**CLOSED, "duration_seconds": 1.2}
    flaw = only(flaws("window-too-short", stacks=["java", "a"], workload="plaintext", load=short))
    assert flaw.severity == "warning" and flaw.contenders == ["java"] and flaw.key == "load.duration_seconds"
    assert only(flaws("window-too-short", ratio("a", "b"), workload="plaintext", load=short)).severity == "note"
    assert not flaws("window-too-short", stacks=["a", "b"], workload="plaintext", load=short)
    unknown = only(flaws("window-too-short", stacks=["a", "stranger"], workload="plaintext", load=short))
    assert unknown.severity == "warning" and unknown.contenders == ["stranger"]
    assert not flaws("window-too-short", stacks=["java", "a"], workload="plaintext")


def test_a_warm_up_of_fewer_calls_than_a_jvm_compiles_after() -> None:
    slow = {**OPEN, "rate_per_second": 300, "warmup_seconds": 3.0}
    flaw = only(flaws("window-too-short", stacks=["java"], load=slow))
    assert flaw.key == "load.warmup_seconds" and "900 requests" in flaw.evidence and "16.7" in flaw.remedy
    assert not flaws("window-too-short", stacks=["a"], load=slow)
    assert not flaws("window-too-short", stacks=["java"], load={**slow, "warmup_seconds": 17.0})


def test_every_kind_is_in_the_document() -> None:
    from tests.docs.pages import DOCS

    text = (DOCS / "checks.md").read_text()
    assert [name for name in design_kinds() if f"| `{name}` |" not in text] == []
