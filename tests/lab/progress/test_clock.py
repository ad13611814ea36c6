"""Elapsed and remaining time."""

from fairtrial.lab.progress.clock import Clock
from fairtrial.plan.plan import planned_seconds
from tests.builders import an_experiment
from tests.lab.progress.conftest import Time


def test_before_the_first_trial_ends_the_plan_says_how_long_it_takes(passing: Time) -> None:
    record = an_experiment("a", "b", blocks=5).record()
    clock = Clock(record)
    assert clock.total == 10
    assert clock.remaining_seconds == planned_seconds(10, record.experiment.load)
    passing.passes(3)
    assert clock.elapsed_seconds == 3
    assert clock.remaining_seconds == planned_seconds(10, record.experiment.load) - 3


def test_afterwards_the_mean_of_the_trials_says_it(passing: Time) -> None:
    clock = Clock(an_experiment("a", "b", blocks=5).record())
    for seconds in (10, 20):
        passing.passes(seconds)
        clock.trial_ended()
    assert (clock.elapsed_seconds, clock.remaining_seconds) == (30, 8 * 15)
    passing.passes(5)
    assert clock.remaining_seconds == 8 * 15 - 5
    assert clock.times() == "elapsed 0:35, remaining 1:55"


def test_a_trial_that_takes_long_leaves_no_negative_time(passing: Time) -> None:
    clock = Clock(an_experiment("a", blocks=2).record())
    passing.passes(1)
    clock.trial_ended()
    passing.passes(100)
    assert clock.remaining_seconds == 0


def test_the_total_grows_with_each_look_that_decided_nothing(passing: Time) -> None:
    record = an_experiment("a", "b", blocks=8).record().model_copy(update={"looks": [3, 5, 8]})
    clock = Clock(record)
    assert clock.total == 6
    for _ in range(6):
        clock.trial_ended()
    assert clock.total == 6
    clock.trial_begins(7)
    assert clock.total == 10, "a seventh is none of six"


def test_the_total_is_that_of_the_look_for_which_there_is_time(passing: Time) -> None:
    """Three blocks of 20 s: in 80 s there is time for a single look, at four."""
    record = an_experiment("a", "b", blocks=3).record()
    update = {"looks": [3, 9, 24], "looks_from_clock": True, "decide_within_seconds": 80.0}
    clock = Clock(record.model_copy(update={**update, "order": [record.order[0]] * 24}))
    for _ in range(5):
        passing.passes(10)
        clock.trial_ended()
    assert clock.total == 6
    passing.passes(10)
    clock.trial_ended()
    assert clock.total == 8
    for index in (7, 8, 9):  # the time of the trials alone, which decides, was not over yet
        clock.trial_begins(index)
        passing.passes(10)
        clock.trial_ended()
    assert clock.total == 10
    assert clock.remaining_seconds <= 10
