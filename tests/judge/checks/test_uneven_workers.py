"""Workers of which some are at their limit and others rest: on records."""

import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import Workers
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities

EXPERIMENT = an_experiment("a").record()


def with_workers(least: float, most: float, *, processes: int = 2, at_work: int = 2, rate: float = 4000) -> TrialRecord:
    """A trial of 16 connections in which like processes used these shares of a processor."""
    trial = a_trial().serving(rate).record()
    assert trial.server
    window = trial.server.window_seconds
    workers = Workers(
        program="worker",
        processes=processes,
        at_work=at_work,
        least_cpu_seconds=least * window,
        most_cpu_seconds=most * window,
        cpu_seconds=(least + most) * window,
    )
    return trial.model_copy(update={"server": trial.server.model_copy(update={"workers": workers})})


def judged(*trials: TrialRecord) -> list[Finding]:
    return found("uneven-workers", EXPERIMENT, trials)


@pytest.mark.parametrize(
    ("least", "most", "expected"),
    [(0.48, 0.99, ["warning"]), (0.51, 0.99, []), (0.1, 0.86, ["warning"]), (0.1, 0.84, []), (0.9, 0.95, [])],
)
def test_one_at_its_limit_and_another_with_half_as_much(least: float, most: float, expected: list[str]) -> None:
    assert severities(judged(with_workers(least, most))) == expected


def test_a_worker_that_never_got_a_connection(snapshot: object) -> None:
    (finding,) = judged(with_workers(0.0, 0.97, processes=4, at_work=1))
    assert finding.evidence == snapshot


@pytest.mark.parametrize(("at_work", "expected"), [(15, ["warning"]), (16, [])])
def test_spare_processes_may_rest(at_work: int, expected: list[str]) -> None:
    """32 processes for 16 connections: sixteen of them can have nothing to do."""
    assert severities(judged(with_workers(0.0, 0.97, processes=32, at_work=at_work))) == expected


def test_a_slow_start_is_set_beside_the_others(snapshot: object) -> None:
    even = [with_workers(0.9, 0.95, rate=4000), with_workers(0.9, 0.95, rate=4100)]
    slow = with_workers(0.2, 0.97, rate=2600).model_copy(update={"index": 9})
    (finding,) = judged(*even, slow)
    assert finding.trial == 9
    assert finding.evidence == snapshot


def test_a_stack_of_one_process_has_no_workers() -> None:
    assert judged(a_trial().record()) == []
