"""Percentiles that can be bought: by errors for the slowest, and by pauses that a closed load does not see."""

import math
from typing import Any

import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.judge.checks.pauses_hidden import due_percentile
from fairtrial.judge.metrics import LONGEST
from fairtrial.record.engine_summary import EventStreams, JourneyAccount
from fairtrial.record.histogram import Bucket, Histogram
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found
from tests.judge.checks.test_uneven_connections import answered_in

EXPERIMENT = an_experiment("a").checking("errors", share=0.1).record()


def histogram(times: list[tuple[float, int]]) -> Histogram:
    return Histogram([Bucket(seconds * 0.999, seconds * 1.001, count) for seconds, count in times])


def exponential(mean_seconds: float, answers: int) -> Histogram:
    steps = [mean_seconds * (number + 0.5) / 200 for number in range(3000)]
    share = [math.exp(-step / mean_seconds) / 200 for step in steps]
    return histogram(
        [(step, round(answers * each)) for step, each in zip(steps, share, strict=True) if answers * each > 1]
    )


def test_pauses_of_six_hundredths_of_the_time_are_what_one_in_a_hundred_requests_waits_for() -> None:
    """One second on one of 16 connections: 4,700 answers in 0.2 ms each, and one of 60 ms."""
    times = histogram([(0.0002, 4700 * 16), (0.06, 16)])
    assert times.at(99) < 0.0003
    assert due_percentile(times, 99) == pytest.approx(0.06 - 0.01, rel=0.02), "of 6% in the pause, 1% are due early"


def test_exponential_times_are_left_as_they_are() -> None:
    times = exponential(0.01, 1_000_000)
    assert due_percentile(times, 99) == pytest.approx(times.at(99), rel=0.1)


def test_times_that_are_all_alike_hide_nothing() -> None:
    times = histogram([(0.0099, 500), (0.01, 500), (0.0101, 500)])
    assert due_percentile(times, 99) == pytest.approx(times.at(99), rel=0.01)


def taken(trial: TrialRecord) -> list[str]:
    findings: list[Finding] = list(found("errors", EXPERIMENT, [trial]))
    return [metric for finding in findings for metric in finding.metrics]


def test_who_answers_the_slowest_with_an_error_has_no_percentile_beyond_them() -> None:
    """Of 12,000: a percentile of whose slower answers a twentieth went wrong is no figure."""
    p99 = [f"{kind}_p{name}" for kind in ("response_time", "service_time") for name in ("99", "99.9")]
    longest = ["response_time_max"]
    assert taken(a_trial().serving(40_000).erring(status_5xx=5).record()) == longest
    assert taken(a_trial().erring(status_5xx=5).record()) == [*p99[1::2], *longest]
    assert taken(a_trial().erring(status_5xx=20).record()) == [*p99, *longest]
    assert taken(a_trial().erring(status_5xx=200).record())[0] == "response_time_p75"


def test_the_times_of_a_stream_s_events_go_with_those_of_its_answers() -> None:
    trial = a_trial().erring(status_5xx=20).record()
    assert trial.engine is not None
    times = trial.engine.response_time
    streams = EventStreams(
        events=12_000,
        events_per_second=1_200.0,
        tokens=None,
        tokens_per_second=None,
        streams=12_000,
        stalled=0,
        broken_off=0,
        first_event_time=times,
        event_gap=times,
    )
    trial.engine = trial.engine.model_copy(update={"event_streams": streams})
    assert {"first_event_time_p99", "event_gap_p99.9", *LONGEST} <= set(taken(trial))


def test_who_closes_the_connection_on_the_slowest_is_treated_alike() -> None:
    assert taken(a_trial().erring(reset=7).record()) == taken(a_trial().erring(status_5xx=7).record()) != []


@pytest.mark.parametrize("errors", [{}, {"timeout": 200}, {"connect": 12}])
def test_whose_end_was_awaited_is_in_the_percentiles(errors: dict[str, int]) -> None:
    assert taken(a_trial().erring(**errors).record()) == []


def claim_on(metric: str, quick: int, slow: int) -> list[Finding]:
    """A claim on trials whose answers took 200 µs, but for those that took 60 ms."""
    record = an_experiment("a", "b").claiming("a", "b", metric=metric, at_least=1.0).record()
    trials = trials_of(record, a_trial())
    engines = [trial.engine for trial in trials]
    times = answered_in(quick, 200, slow, 60_000)
    changed = [
        trial.model_copy(update={"engine": engine.model_copy(update={"response_time": times})})
        for trial, engine in zip(trials, engines, strict=True)
        if engine is not None
    ]
    return found("pauses-hidden", record, changed)


def test_a_verdict_on_a_percentile_says_what_an_open_load_would_see() -> None:
    (finding,) = claim_on("response_time_p99", 4700 * 16, 16)
    assert (finding.severity, finding.claim) == ("warning", "claim-1")
    assert "1 in 100 would wait 50" in finding.evidence and "p99 of the answers is 0.2" in finding.evidence


@pytest.mark.parametrize(
    ("metric", "quick", "slow"),
    [("response_time_p50", 75_200, 16), ("goodput", 75_200, 16), ("response_time_p99", 75_200, 0)],
)
def test_what_rests_on_no_hidden_pause_is_left_alone(metric: str, quick: int, slow: int) -> None:
    assert claim_on(metric, quick, slow) == []


PAIR = {"of": "b", "to": "a"}


@pytest.mark.parametrize(
    ("kind", "keys", "expected"),
    [
        ("budget", {"of": "a", "at_most": "0.3 ms"}, 1),
        ("budget", {"of": "a", "at_most": "0.6 ms"}, 0),
        ("ratio", PAIR | {"at_least": 1.4}, 1),
        ("ratio", PAIR | {"at_least": 0.7}, 0),
        ("ratio", PAIR | {"at_least": 1.6}, 0),
        ("difference", PAIR | {"at_least": "0.05 ms"}, 1),
        ("equal", PAIR | {"within": 0.6}, 0),
        ("order", {"order": ["a", "b"]}, 1),
        ("order", {"order": ["b", "a"]}, 0),
    ],
)
def test_pauses_below_the_factor_are_told_where_they_decide_the_claim(
    kind: str, keys: dict[str, Any], expected: int
) -> None:
    """Answers in 200 µs, but for nine in 1,000 that took 600 µs: of requests that are due, one in 100 waits 400 µs.

    Those to `b` take 300 µs.
    """
    record = an_experiment("a", "b").stating(kind, metric="response_time_p99", **keys).record()
    trials = trials_of(record, a_trial())
    engines = [trial.engine for trial in trials]
    times = {"a": answered_in(11_890, 200, 110, 600), "b": answered_in(11_880, 300, 120, 301)}
    changed = [
        trial.model_copy(update={"engine": engine.model_copy(update={"response_time": times[trial.condition[0]]})})
        for trial, engine in zip(trials, engines, strict=True)
        if engine is not None
    ]
    assert len(found("pauses-hidden", record, changed)) == expected


def test_wrong_answers_break_journeys_off_of_which_there_are_fewer() -> None:
    """Twelve of 12,000 requests are few; of 512 journeys they are many."""
    trial = a_trial().erring(status_5xx=12).record()
    assert trial.engine is not None
    times = trial.engine.response_time.model_copy(update={"count": 500})
    journey = JourneyAccount(
        name="buy", count=512, completed=500, broken_off=12, unfinished=0, journey_time=times, steps=[]
    )
    walked = trial.model_copy(update={"engine": trial.engine.model_copy(update={"journeys": [journey]})})
    assert not [name for name in taken(trial) if name == "response_time_p90"]
    assert "journey_time_p90" in taken(walked) and "response_time_p90" not in taken(walked)
    assert "journey_time_p50" not in taken(walked)
