"""Requests that hang are not left out of a trial's account."""

from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found


def waiting(seconds: float) -> TrialRecord:
    """A trial whose longest answer took 0.08 s of a window of 3 s, with a request that waited `seconds` at its end."""
    trial = a_trial().taking(0.004).record()
    assert trial.engine
    return trial.model_copy(update={"engine": trial.engine.model_copy(update={"oldest_in_flight_seconds": seconds})})


def test_a_request_that_hung_for_a_quarter_of_the_window_refuses_the_trial() -> None:
    (finding,) = found("unanswered", an_experiment("a").record(), [waiting(0.76)])
    assert finding.severity == "refusal"
    assert "0.76 s of its 3.00 s" in finding.evidence


def test_requests_that_were_merely_cut_off_are_left_alone() -> None:
    assert found("unanswered", an_experiment("a").record(), [waiting(0.74)]) == []


def test_a_slow_workload_is_left_alone() -> None:
    """Answers of up to 1 s each: a request of that age at the end is one of them."""
    trial = a_trial().serving(100).taking(0.05).record()
    assert trial.engine
    slow = trial.model_copy(update={"engine": trial.engine.model_copy(update={"oldest_in_flight_seconds": 1.0})})
    assert found("unanswered", an_experiment("a").record(), [slow]) == []
