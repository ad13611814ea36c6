"""Answers that came before what they contain can be over: one is enough, and so are more than fit into the window."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from fairtrial.catalog.workloads import implied_work, options_of, pick_workload
from fairtrial.record.model import ExperimentRecord, TrialRecord
from tests.builders import a_trial, an_experiment, times
from tests.judge.checks.findings import found
from tests.tools.load.measurements import hdr_of, rounded

EXPERIMENT = an_experiment("a").record()
DELAY_SECONDS = 0.05


def waiting(**floors: float) -> ExperimentRecord:
    """A record that says how long an answer to each request takes at least."""
    implied = {
        name: work.model_copy(update={"least_answer_seconds": floors}) for name, work in EXPERIMENT.implied_work.items()
    }
    return EXPERIMENT.model_copy(update={"implied_work": implied})


def answered(rate: float, fastest_seconds: float) -> TrialRecord:
    """16 connections, half of the answers to `call` and half to `other`, the fastest `call` after so long."""
    median = 2 * fastest_seconds
    trial = a_trial().serving(rate).taking(median).mixing(call=(0.5, median), other=(0.5, 1e-4)).record()
    assert trial.engine is not None
    call, other = trial.engine.mix
    assert call.response_time is not None
    fast = call.response_time.model_copy(update={"min_seconds": fastest_seconds})
    mix = [call.model_copy(update={"response_time": fast}), other]
    return trial.model_copy(update={"engine": trial.engine.model_copy(update={"mix": mix})})


def test_one_answer_before_its_delay_was_over_is_enough(snapshot: object) -> None:
    (finding,) = found("faster-than-possible", waiting(call=DELAY_SECONDS), [answered(200, 0.0499)])
    assert finding.severity == "refusal"
    assert finding.evidence == snapshot


@pytest.mark.parametrize("fastest", [0.04996, 0.05, 1.0])
def test_answers_that_waited_are_left_alone_also_by_a_clock_that_is_slewed(fastest: float) -> None:
    assert found("faster-than-possible", waiting(call=DELAY_SECONDS), [answered(200, fastest)]) == []


def test_other_requests_of_the_mix_may_be_as_fast_as_they_are() -> None:
    assert found("faster-than-possible", waiting(call=DELAY_SECONDS, other=0.0), [answered(200, 0.06)]) == []


def test_more_answers_than_fit_into_the_window_are_refused_whatever_their_times(snapshot: object) -> None:
    """16 connections and 50 ms: 320 calls a second are possible, and the first of each may have begun before."""
    record = waiting(call=DELAY_SECONDS)
    (finding,) = found("faster-than-possible", record, [answered(2 * 340, 0.06)])
    assert finding.evidence == snapshot
    assert found("faster-than-possible", record, [answered(2 * 325, 0.06)]) == []


def test_over_http2_each_stream_has_the_whole_window(snapshot: object) -> None:
    """Four streams on each of four connections are sixteen clients; one more on each are not enough for the rest."""
    over_http2 = an_experiment("a").but(connections=4, streams=4).record()
    record = over_http2.model_copy(update={"implied_work": waiting(call=DELAY_SECONDS).implied_work})
    (finding,) = found("faster-than-possible", record, [answered(2 * 340, 0.06)])
    assert finding.evidence == snapshot
    assert found("faster-than-possible", record, [answered(2 * 325, 0.06)]) == []


def test_nothing_is_said_where_nothing_waits_or_nothing_was_kept() -> None:
    assert found("faster-than-possible", EXPERIMENT, [answered(50_000, 1e-5)]) == []
    trial = answered(200, 0.001)
    assert trial.engine is not None
    timeless = [share.model_copy(update={"response_time": None}) for share in trial.engine.mix]
    trial = trial.model_copy(update={"engine": trial.engine.model_copy(update={"mix": timeless})})
    assert found("faster-than-possible", waiting(call=DELAY_SECONDS), [trial]) == []


def test_a_single_request_has_the_times_of_all() -> None:
    trial = a_trial().serving(100).mixing(call=(1.0, 0.02)).record()
    assert trial.engine is not None
    fast = times(300, 0.02).model_copy(update={"min_seconds": 0.001})
    trial = trial.model_copy(update={"engine": trial.engine.model_copy(update={"response_time": fast})})
    (finding,) = found("faster-than-possible", waiting(call=DELAY_SECONDS), [trial])
    assert "after 1 ms" in finding.evidence


@pytest.mark.parametrize(
    ("workload", "options", "floors"),
    [
        ("fan-out", {"delay_milliseconds": 20}, {"fan-out": 0.02}),
        ("query-mix", {"long_milliseconds": 300}, {"long": 0.302, "short": 0.002}),
        ("query-chain", {"long_milliseconds": 100}, {"chain": 0.102}),
        ("random-item", {}, {"random-item": 0.002}),
        ("similar-items", {}, {}),
        # Requests may join a statement that another has sent already, and rows may share one.
        ("several-items", {}, {}),
        ("survey-insert", {"mode": "batched"}, {}),
    ],
)
def test_each_workload_s_least_times_at_2_ms_from_its_database(
    workload: str, options: dict[str, object], floors: dict[str, float]
) -> None:
    named = pick_workload(workload)
    names = ["short", "long"] if workload == "query-mix" else [*floors]
    implied = implied_work(named, options_of(named, options), requests=names, round_trip_seconds=0.002)
    assert implied.least_answer_seconds == pytest.approx(floors)
    alone = implied_work(named, options_of(named, options)).least_answer_seconds
    assert set(alone) <= {"fan-out", "long", "chain"}


def drawn(waits: npt.ArrayLike, mean_seconds: float) -> tuple[TrialRecord, ExperimentRecord]:
    """A trial whose answers took these times, in seconds, where round trips of this mean are drawn."""
    implied = {
        name: work.model_copy(update={"random_round_trip_seconds": mean_seconds})
        for name, work in EXPERIMENT.implied_work.items()
    }
    trial = a_trial().serving(np.size(waits) / 3).record()
    assert trial.engine is not None
    response_time = trial.engine.response_time.model_copy(update={"hdr_base64": hdr_of(rounded(waits))})
    trial = trial.model_copy(update={"engine": trial.engine.model_copy(update={"response_time": response_time})})
    return trial, EXPERIMENT.model_copy(update={"implied_work": implied})


@pytest.mark.parametrize(
    ("mean_seconds", "past", "fires"),
    [(0.002, 0.0, False), (0.0016, 0.0, True), (0.002, 0.02, True), (0.002, 0.001, False)],
)
def test_no_answers_are_sooner_than_round_trips_that_are_drawn(mean_seconds: float, past: float, fires: bool) -> None:
    """3,000 answers after latencies of this mean, a part of them past the proxy, where the mean is to be 2 ms."""
    count = 3_000
    number = round(past * count)
    waits = [-mean_seconds * math.log1p(-(each + 0.5) / (count - number)) for each in range(count - number)]
    trial, record = drawn([0.0] * number + waits, 0.002)
    findings = found("faster-than-possible", record, [trial])
    assert [each.severity for each in findings] == ["refusal"] * fires
