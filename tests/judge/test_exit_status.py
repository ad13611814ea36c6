import pytest

from fairtrial.judge.judging import judge
from fairtrial.judge.outcome import exit_status
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of


def status(
    a: TrialBuilder, at_least: float | None = None, b: TrialBuilder | None = None, interrupted: bool = False
) -> int:
    experiment = an_experiment("a", "b")
    if at_least is not None:
        experiment = experiment.claiming("a", "b", at_least=at_least)
    record = experiment.record()
    trials = trials_of(record, lambda name, block: a if name == "a" else b or a_trial())
    return exit_status(judge(record, trials, interrupted))


MISSING = a_trial().failing("requirements", "missing")


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("all valid, nothing claimed", 0),
        ("all valid, upheld", 0),
        ("all valid, refuted", 1),
        ("all valid, undecided", 3),
        ("a trial refused", 3),
        ("a trial not run", 3),
        ("all refused", 3),
        ("nothing ran", 4),
        ("interrupted", 130),
    ],
)
def test_exit_statuses(what: str, expected: int) -> None:
    fast = a_trial().serving(8000)
    statuses = {
        "all valid, nothing claimed": lambda: status(a_trial()),
        "all valid, upheld": lambda: status(fast, 1.5),
        "all valid, refuted": lambda: status(fast, 2.5),
        "all valid, undecided": lambda: status(MISSING, 2),
        "a trial refused": lambda: status(a_trial().erring(wrong_body=1)),
        "a trial not run": lambda: status(MISSING),
        "all refused": lambda: status(a_trial().but(altered=True), b=a_trial().but(altered=True)),
        "nothing ran": lambda: status(MISSING, b=MISSING),
        "interrupted": lambda: status(fast, 2.5, interrupted=True),
    }
    assert statuses[what]() == expected


def test_without_trials_nothing_ran() -> None:
    assert exit_status(judge(an_experiment("a").record(), [], interrupted=False)) == 4


def test_a_condition_that_was_never_tried_is_in_doubt() -> None:
    record = an_experiment("a", "b").record()
    trials = trials_of(record, lambda name, block: a_trial() if name == "a" else None)
    assert exit_status(judge(record, trials, interrupted=False)) == 3
