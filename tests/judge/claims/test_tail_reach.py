"""Percentiles of answers that were slow together rest on fewer samples than there are answers."""

import math
from typing import Any

import pytest

from fairtrial.judge.claims.tail_reach import tail_reach, turns_reach
from fairtrial.judge.judging import judge
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.record.engine_summary import ConnectionAnswers, Share, UnderWay
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.test_uneven_connections import answered_in
from tests.record.test_histogram import encoded, zigzag

ANSWERS = 10_000
"""Ten of each of 1 to 1,000 ns: a hundred lie above p99."""


def together(trial: TrialRecord, **dispersion: float) -> TrialRecord:
    """A trial with these times, of which so many above a percentile came together: `p99=20`."""
    assert trial.engine is not None
    times = trial.engine.response_time.model_copy(
        update={
            "count": ANSWERS,
            "percentiles": {"50": 500.5e-9, "99": 990.1e-9},
            "hdr_base64": encoded(zigzag(-1, *[10] * 1000)),
        }
    )
    by_percentile = {name.removeprefix("p"): index for name, index in dispersion.items()}
    update = {"response_time": times, "tail_dispersion": by_percentile, "answers": ANSWERS}
    return trial.model_copy(update={"engine": trial.engine.model_copy(update=update)})


def a_trial_of(**dispersion: float) -> TrialRecord:
    record = an_experiment("a").record()
    return together(trials_of(record, a_trial())[0], **dispersion)


def test_answers_that_came_together_are_fewer_samples() -> None:
    p99 = find_metric("response_time_p99")
    assert tail_reach(p99, a_trial_of(p99=1.0)) == tail_reach(p99, a_trial_of()) == 0
    # Position 9,900 + 20 · 1.99 / 3 is the 992nd value, and 9,900 + 0.66 one of the 990th and the 991st.
    assert tail_reach(p99, a_trial_of(p99=20.0)) == pytest.approx(992 / 990.66 - 1, rel=0.02)
    assert tail_reach(p99, a_trial_of(p99=49.0)) < math.inf
    assert tail_reach(p99, a_trial_of(p99=51.0)) == math.inf


def test_a_percentile_goes_by_the_next_lower_one_and_other_metrics_by_none() -> None:
    trial = a_trial_of(p50=1.0, p99=20.0)
    at = {
        name: tail_reach(find_metric(name), trial) for name in ("response_time_p99.5", "response_time_p90", "goodput")
    }
    assert at["response_time_p99.5"] > 0
    assert at["response_time_p90"] == at["goodput"] == 0


def test_of_one_request_of_many_few_are_in_a_group() -> None:
    trial = a_trial_of(p99=20.0)
    assert trial.engine is not None
    times = trial.engine.response_time
    share = Share(
        name="b", sent=ANSWERS, answers=ANSWERS, verified=ANSWERS, failures=0, service_time=times, response_time=times
    )
    mix = [share, share.model_copy(update={"name": "c"})]
    alone = trial.engine.model_copy(update={"mix": mix, "answers": 100 * ANSWERS})
    of_request = find_metric("response_time_p99", "b")
    few, all_ = (
        tail_reach(of_request, trial.model_copy(update={"engine": engine}))
        for engine in (alone, alone.model_copy(update={"answers": ANSWERS}))
    )
    assert 0 < few < all_


def verdict(p99: float, **claim: Any) -> ClaimResult:
    record = an_experiment("a", blocks=10).stating("budget", of="a", metric="response_time_p99", **claim).record()
    trials = [together(trial, p99=p99) for trial in trials_of(record, a_trial())]
    return judge(record, trials, interrupted=False).claims[0]


def test_a_budget_holds_only_where_so_few_samples_carry_it() -> None:
    assert verdict(1.0, at_most="0.000991 ms").verdict == "upheld"
    assert verdict(20.0, at_most="0.000991 ms").verdict == "undecided"
    assert verdict(20.0, at_most="0.000999 ms").verdict == "upheld"
    assert verdict(20.0, at_least="0.000980 ms").verdict == "upheld"
    withheld = verdict(60.0, at_most="0.01 ms")
    assert withheld.verdict == "undecided"
    assert "slow together" in (withheld.reason or "") + withheld.sentence


def in_turns(trial: TrialRecord, *, at_a_time: int, turn_ms: int) -> TrialRecord:
    """Of 16 connections so many are served at a time, for a turn; 12,000 answers in 3 s, 750 to each connection."""
    assert trial.engine is not None
    quick_us = round(3e6 / 12_000 * at_a_time)
    turns = round(3_000 / turn_ms * (16 - at_a_time))
    slow_us = turn_ms * 1_000
    times = answered_in(12_000 - turns, quick_us, turns, slow_us)
    percentiles = dict.fromkeys(times.percentiles, quick_us / 1e6) | {"99.9": slow_us / 1e6}
    times = times.model_copy(update={"percentiles": percentiles, "mean_seconds": 0.004})
    even = ConnectionAnswers(
        connections=16,
        least=750,
        most=750,
        without=0,
        evenness=1.0,
        evenness_in_slices=min(1.0, at_a_time / 16 * 39 / 24),
        slice_seconds=0.01,
    )
    engine = trial.engine.model_copy(update={"response_time": times, "connection_answers": even})
    return trial.model_copy(update={"engine": engine})


@pytest.mark.parametrize("at_a_time", [15, 14, 12, 9])
def test_what_turns_may_have_lowered_is_in_the_reach(at_a_time: int) -> None:
    """Slices hold 40 answers, so that they tell no fifteen at a time from sixteen in turn; the times do."""
    trial = in_turns(a_trial().record(), at_a_time=at_a_time, turn_ms=300)
    for name in ("response_time_p50", "response_time_p90", "response_time_p99"):
        bought = turns_reach(find_metric(name), trial)
        assert 16 / at_a_time - 1.05 <= bought <= 16 / at_a_time - 0.97
    for name in ("response_time_p99.9", "goodput"):
        assert turns_reach(find_metric(name), trial) == 0


def test_connections_that_are_served_alike_reach_nowhere() -> None:
    trial = in_turns(a_trial().record(), at_a_time=16, turn_ms=100)
    assert turns_reach(find_metric("response_time_p50"), trial) == 0
    assert turns_reach(find_metric("response_time_p50"), a_trial().record()) == 0, "nothing is known of connections"


def test_requests_that_were_left_without_an_answer_are_in_the_reach() -> None:
    """Four of 16 connections hang for the last fifth of the window: a twentieth of the time of all."""
    trial = in_turns(a_trial().record(), at_a_time=16, turn_ms=100)
    assert trial.engine is not None and trial.engine.connection_answers is not None
    left = UnderWay(at_start_seconds=0.0, ended_seconds=45.6, at_end_seconds=2.4 + 12 * 0.004, mean_requests=16.0)
    engine = trial.engine.model_copy(update={"under_way": left})
    hanging = trial.model_copy(update={"engine": engine})
    assert turns_reach(find_metric("response_time_p50"), hanging) == pytest.approx(0.05, rel=0.1)
    # If the answers of that fifth were all quick ones, the median of the others is at 0.2 + 0.8 · 0.5.
    spread = engine.response_time.model_copy(update={"hdr_base64": encoded(zigzag(-1, *[10] * 1000))})
    late = engine.model_copy(update={"oldest_in_flight_seconds": 0.6, "response_time": spread})
    hanging = trial.model_copy(update={"engine": late})
    assert turns_reach(find_metric("response_time_p50"), hanging) == pytest.approx(0.2, rel=0.02)


def turned(name: str, at_a_time: int, turn_ms: int) -> ClaimResult:
    """A claim that the percentile of `a`, which serves so many at a time, is 1.2 times lower than that of `b`."""
    record = an_experiment("a", "b", blocks=5).claiming(of="b", to="a", metric=name, at_least=1.2).record()
    trials = [
        in_turns(trial, at_a_time=at_a_time if trial.condition.startswith("a") else 16, turn_ms=turn_ms)
        for trial in trials_of(record, a_trial())
    ]
    return judge(record, trials, interrupted=False).claims[0]


@pytest.mark.parametrize("name", ["response_time_p50", "response_time_p90", "response_time_p99"])
def test_no_percentile_is_bought_by_turns_that_no_percentile_shows(name: str) -> None:
    claim = turned(name, 12, 100)
    assert claim.verdict == "undecided"
    assert "up to 32% higher for a" in claim.sentence


def test_turns_that_a_higher_percentile_shows_stand_beside_the_mean_times(snapshot: object) -> None:
    """In turns of 8 ms each connection has 5% slow answers: p50 is lower, p99 is not, and the mean times are alike."""
    claim = turned("response_time_p50", 8, 8)
    assert claim.verdict == "upheld"
    assert claim.sentence == snapshot
    assert "Of the mean times" not in turned("response_time_p50", 16, 8).sentence
