"""Requests that hang are not left out of a trial's account."""

from fairtrial.record.engine_summary import AtLeast
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


def test_what_was_never_answered_makes_no_answer_longer() -> None:
    """The times of an open load hold the hanging request, too: it is no excuse for itself."""
    trial = waiting(0.76)
    assert trial.engine
    at_least = AtLeast(count=1, min_seconds=2.76, longest_other_seconds=0.08)
    times = trial.engine.response_time.model_copy(update={"max_seconds": 2.76, "at_least": at_least})
    trial = trial.model_copy(update={"engine": trial.engine.model_copy(update={"response_time": times})})
    assert len(found("unanswered", an_experiment("a").record(), [trial])) == 1
