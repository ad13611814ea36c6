"""Figures of one run against a bound: what has no time is not left out silently."""

import math
from typing import Any

import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.judge.claims.one_run import RunRuling, rule_on_run
from fairtrial.record.engine_summary import AtLeast, Cohort, Share, Waiting
from fairtrial.tools.load.request.expected_figure import parse_expected_figure
from tests.builders import a_trial
from tests.tools.load.measurements import hdr

FAST, SLOW = 0.010, 0.100


def verdict(text: str, *, fast: int = 0, slow: int = 0, refusing: tuple[str, ...] = (), **changes: Any) -> RunRuling:
    """On a load with so many answers of 10 ms and of 100 ms; `changes` are fields of its summary."""
    answers = fast + slow
    engine = a_trial().record().engine
    assert engine
    known = {
        "count": answers,
        "mean_seconds": (fast * FAST + slow * SLOW) / answers if answers else None,
        "max_seconds": None if not answers else SLOW if slow else FAST,
        "hdr_base64": times_of(fast, slow),
    }
    summary = engine.model_copy(
        update={
            "response_time": engine.response_time.model_copy(update=known),
            "verified": answers,
            "answers": answers,
            "goodput_per_second": answers / 3,
            "errors": {},
            "in_flight_at_end": 0,
            "oldest_in_flight_seconds": None,
        }
        | changes
    )
    findings = [Finding(check=check, severity="refusal", evidence="", remedy="") for check in refusing]
    expected = parse_expected_figure(text)
    return rule_on_run(expected.metric, expected.bounds, summary, findings, expected.request)


def times_of(fast: int, slow: int) -> str:
    """The histogram of so many answers of 10 ms and of 100 ms."""
    return hdr(*[round(FAST * 1e6)] * fast, *[round(SLOW * 1e6)] * slow)


def unanswered(number: int, oldest_seconds: float) -> dict[str, Any]:
    return {"in_flight_at_end": number, "oldest_in_flight_seconds": oldest_seconds}


def of_orders(text: str, **changes: Any) -> RunRuling:
    """On a mix of 2,000 quick looks and 1,000 slow orders, of which five were wrong and all ended."""
    engine = a_trial().record().engine
    assert engine

    def share(name: str, sent: int, seconds: float, wrong: int = 0) -> Share:
        times = engine.response_time.model_copy(
            update={
                "count": sent,
                "mean_seconds": seconds,
                "max_seconds": seconds,
                "hdr_base64": hdr(*[round(seconds * 1e6)] * sent),
            }
        )
        verified = sent - wrong
        counted = {"sent": sent, "answers": sent, "verified": verified, "run_sent": sent, "run_verified": verified}
        return Share(name=name, failures=0, service_time=times, response_time=times, **counted)

    mix = [share("look", 2000, 100e-6), share("order", 1000, 1000e-6, wrong=5)]
    return verdict(text, **{"mix": mix, "fast": 2000, "slow": 1000, "window_seconds": 2.0} | changes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look: p99<500us", "upheld"),
        ("order: p99<500us", "refuted"),
        ("order: p99<2ms", "upheld"),
        ("order: max<2ms", "upheld"),
        ("look: errors<=0%", "upheld"),
        ("order: errors<=0.4%", "refuted"),
        ("order: errors<=0.5%", "upheld"),
        ("look: rate>=1,000/s", "upheld"),
        ("order: rate>=498/s", "refuted"),
        ("order: p99.9<2ms", "undecided"),
        ("nothing: p99<2ms", "undecided"),
    ],
)
def test_a_figure_of_one_request_is_that_of_its_answers_alone(text: str, expected: str) -> None:
    assert of_orders(text).verdict == expected


def test_unanswered_requests_count_where_they_may_have_been_of_the_request() -> None:
    hanging = unanswered(40, 3.0)
    assert of_orders("look: p99<500us", **hanging).verdict == "upheld", "all looks had a right answer"
    assert of_orders("look: max<500us", **hanging).verdict == "refuted", "the oldest may have been one of them"
    waiting = Waiting(limit=100, peak=40, at_end=40)
    assert of_orders("look: p99<500us", **hanging, waiting=waiting).verdict == "undecided"
    full = {"errors": {"overflow": 7}}
    assert of_orders("look: p99<500us", **full).verdict == "undecided"
    assert of_orders("look: rate>=1,000/s", **full).verdict == "upheld"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p99<50ms", "upheld"),
        ("p99<5ms", "refuted"),
        ("p99.9<50ms", "undecided"),
        ("max<50ms", "refuted"),
        ("max<=1s", "upheld"),
        ("mean<11ms", "upheld"),
        ("mean<10.5ms", "refuted"),
        ("rate>=666/s", "upheld"),
        ("rate>=667/s", "refuted"),
        ("errors<=0%", "upheld"),
    ],
)
def test_of_2000_answers_nineteen_are_slow(text: str, expected: str) -> None:
    assert verdict(text, fast=1981, slow=19).verdict == expected


def test_a_percentile_without_the_samples_is_undecided_and_says_how_many_it_needs() -> None:
    few = verdict("p99<50ms", fast=999)
    assert (few.verdict, few.value) == ("undecided", None)
    assert few.reason == "p99 needs 1,000 requests, and 999 ended"
    assert verdict("p99<50ms", fast=1000).verdict == "upheld"


class TestRequestsWithoutAnAnswer:
    @pytest.mark.parametrize(("failed", "expected"), [(9, "upheld"), (10, "refuted")])
    def test_they_are_slower_than_any_limit(self, failed: int, expected: str) -> None:
        found = verdict("p99<50ms", fast=1000 - failed, errors={"timeout": failed})
        assert found.verdict == expected
        assert found.reason == f"{failed} requests ended without an answer"
        assert (found.value == math.inf) == (expected == "refuted")

    def test_one_is_beyond_any_longest(self) -> None:
        assert verdict("max<1h", fast=1000, errors={"reset": 1}).verdict == "refuted"

    def test_a_mean_has_no_room_for_them(self) -> None:
        assert verdict("mean<50ms", fast=1000, errors={"reset": 1}).verdict == "undecided"
        assert verdict("mean<5ms", fast=1000, errors={"reset": 1}).verdict == "refuted"

    def test_they_are_errors(self) -> None:
        assert verdict("errors<=1%", fast=990, errors={"reset": 10}).verdict == "upheld"
        assert verdict("errors<1%", fast=990, errors={"reset": 10}).verdict == "refuted"

    def test_without_any_answer_nothing_is_found(self) -> None:
        assert verdict("p50<1s", errors={"refused": 50}).verdict == "undecided"
        assert verdict("errors<=1%", errors={"refused": 50}).verdict == "refuted"
        assert verdict("errors<=1%").verdict == "undecided"


class TestUnansweredAtTheEnd:
    def test_those_that_waited_for_less_than_the_limit_do_not_count(self) -> None:
        assert verdict("p99<50ms", fast=1000, **unanswered(64, 0.049)).verdict == "upheld"

    @pytest.mark.parametrize(("number", "expected"), [(9, "upheld"), (10, "undecided")])
    def test_all_count_once_the_oldest_waited_for_longer(self, number: int, expected: str, snapshot: object) -> None:
        found = verdict("p99<50ms", fast=1000, **unanswered(number, 2.0))
        assert found.verdict == expected
        assert found.reason == snapshot

    def test_they_do_not_excuse_a_figure_that_is_missed_without_them(self) -> None:
        assert verdict("p99<50ms", slow=1000, **unanswered(500, 2.0)).verdict == "refuted"

    def test_the_oldest_is_known_to_have_taken_so_long(self) -> None:
        found = verdict("max<1s", fast=1000, **unanswered(1, 2.0))
        assert (found.verdict, found.value) == ("refuted", 2.0)

    def test_a_mean_counts_them_as_old_as_the_oldest(self) -> None:
        assert verdict("mean<50ms", fast=1000, **unanswered(10, 2.0)).verdict == "upheld"
        assert verdict("mean<50ms", fast=1000, **unanswered(30, 2.0)).verdict == "undecided"

    def test_they_may_be_errors_if_one_waited_for_longer_than_any_answer_took(self) -> None:
        assert verdict("errors<=1%", fast=1000, **unanswered(500, 0.005)).verdict == "upheld"
        assert verdict("errors<=1%", fast=1000, **unanswered(500, 2.0)).verdict == "undecided"

    @pytest.mark.parametrize("text", ["p99<10s", "max<10s", "mean<10s", "errors<=1%"])
    def test_a_queue_counts_however_long_the_limit_is(self, text: str) -> None:
        facts = {"fast": 1000, **unanswered(80, 0.009)}
        few, queue = (Waiting(limit=1000, peak=70, at_end=number) for number in (10, 70))
        assert verdict(text, **facts, waiting=few).verdict == "upheld"
        assert verdict(text, **facts, waiting=queue).verdict == "undecided"


class TestFiguresThatAreNotTheServers:
    @pytest.mark.parametrize("check", ["generator-late", "generator-saturated"])
    def test_what_holds_in_spite_of_a_slow_generator_holds(self, check: str) -> None:
        assert verdict("p99<50ms", fast=1000, refusing=(check,)).verdict == "upheld"
        missed = verdict("p99<5ms", fast=1000, refusing=(check,))
        assert (missed.verdict, missed.reason) == ("undecided", f"see the warning of {check}")

    @pytest.mark.parametrize("check", ["littles-law", "clients-gone", "ports-exhausted", "capacity-search"])
    def test_nothing_holds_of_another_load_than_the_one_that_is_named(self, check: str) -> None:
        assert verdict("p99<50ms", fast=1000, refusing=(check,)).verdict == "undecided"

    def test_other_refusals_do_not_matter(self) -> None:
        assert verdict("p99<50ms", fast=1000, refusing=("unanswered",)).verdict == "upheld"


def with_bounds(slow: int, *, censored: int) -> dict[str, Any]:
    """Of 1,000 times, the slow ones, of 100 ms, had no answer by then: so many were censored, the others timed out."""
    engine = a_trial().record().engine
    assert engine
    at_least = AtLeast(count=slow, min_seconds=SLOW, longest_other_seconds=FAST)
    known = {
        "count": 1000,
        "mean_seconds": 0.02,
        "max_seconds": SLOW,
        "at_least": at_least,
        "hdr_base64": times_of(1000 - slow, slow),
    }
    failures = slow - censored
    return {
        "fast": 1000 - slow,
        "slow": slow,
        "answers": 1000 - slow,
        "verified": 1000 - slow,
        "errors": {"timeout": failures},
        "response_time": engine.response_time.model_copy(update=known),
        "cohort": Cohort(drain_seconds=2.0, answers=1000 - slow, failures=failures, censored=censored),
    } | unanswered(600, 5.0)


@pytest.mark.parametrize(
    ("text", "slow", "censored", "expected"),
    [
        ("p99<50ms", 20, 20, "refuted"),
        ("p99<200ms", 20, 20, "undecided"),
        ("p99<200ms", 20, 0, "refuted"),
        ("p99<20ms", 5, 5, "upheld"),
        ("p95<20ms", 20, 20, "upheld"),
        ("max<50ms", 5, 5, "refuted"),
        ("max<200ms", 5, 5, "undecided"),
        ("mean<200ms", 5, 5, "undecided"),
        ("errors<=1%", 5, 5, "upheld"),
        ("errors<=1%", 20, 20, "undecided"),
    ],
)
def test_of_a_drained_load_the_bounds_decide_and_not_what_the_close_cut_off(
    text: str, slow: int, censored: int, expected: str
) -> None:
    assert verdict(text, **with_bounds(slow, censored=censored)).verdict == expected
