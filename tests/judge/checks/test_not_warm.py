"""Windows that begin slowly in block after block, and how often honest ones are accused."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from fairtrial.experiment.loads import FixedLoad, Load
from fairtrial.judge.checks.model import Case, Finding
from fairtrial.judge.checks.not_warm import CHECK
from fairtrial.record.engine_summary import SecondOfSeries
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found, severities

Rates = Sequence[float]


def window(trial: TrialRecord, rates: Rates, *, is_open: bool = False) -> TrialRecord:
    """The trial with this goodput in each second."""
    assert trial.engine is not None
    series = [SecondOfSeries(verified=round(rate), errors=0, p50_seconds=0.004) for rate in rates]
    changes = {
        "series": series,
        "window_seconds": float(len(rates)),
        "achieved_over_offered": 1.0 if is_open else None,
    }
    return trial.model_copy(update={"engine": trial.engine.model_copy(update=changes)})


def findings(
    rates: Callable[[int], Rates], blocks: int = 5, *, is_open: bool = False, load: Load | None = None
) -> list[Finding]:
    """Those about a condition whose seconds are these in each block, from 1; beside an even one."""
    record = an_experiment("a", "b", blocks=blocks).record()
    if load is not None:
        conditions = [each.model_copy(update={"load": load}) for each in record.conditions]
        record = record.model_copy(update={"conditions": conditions})
    trials = [
        window(trial, rates(trial.block), is_open=is_open) if trial.condition.startswith("a/") else trial
        for trial in trials_of(record, a_trial())
    ]
    return found("not-warm", record, trials)


def noise(seed: int, seconds: int, deviation: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.asarray(4000 * np.exp(deviation * np.random.default_rng(seed).normal(size=seconds)))


def shaped(*shape: float, deviation: float = 0.03) -> Callable[[int], Rates]:
    """Windows of this course, in shares of their pace, with noise of each second's own."""
    return lambda block: list(noise(block, len(shape), deviation) * np.asarray(shape))


def test_a_slow_first_second_of_each_window_of_three_is_seen() -> None:
    (finding,) = findings(shaped(0.74, 1, 1))
    assert (finding.severity, finding.trial) == ("warning", None)
    assert finding.evidence.startswith("a: goodput of the first 20% of the window (at least 1 s) was 0.7")
    assert "5 blocks" in finding.evidence and "95% interval" in finding.evidence
    assert "warmup_seconds" in finding.remedy


@pytest.mark.parametrize(
    "course",
    [
        (0.5,) * 5 + (1.0,) * 10,  # a third of the window, so that no single second stands out
        (0.0, 1, 1),  # not one answer, of which there is no logarithm
        (0.6, 1.4, 1),  # what was held back is made up for at once
        (0.8, 1),
        tuple(np.linspace(0.6, 1, 10)),  # slowly, without a step
    ],
)
def test_who_hides_a_slow_beginning_is_seen(course: tuple[float, ...]) -> None:
    assert severities(findings(shaped(*course))) == ["warning"]


def test_a_beginning_that_is_too_quick_is_seen_as_well() -> None:
    """As with burst credits that are used up, or a clock that falls."""
    (finding,) = findings(shaped(1.3, 1, 1))
    assert finding.severity == "warning" and "used up" in finding.remedy


@pytest.mark.parametrize("course", [(1, 1, 1), (0.92, 1, 1), (1.08, 1, 1), (0.95,) * 3 + (1.0,) * 12])
def test_a_small_difference_is_within_the_tolerance(course: tuple[float, ...]) -> None:
    assert findings(shaped(*course)) == []


def test_of_one_slow_window_in_five_nothing_is_concluded() -> None:
    assert findings(lambda block: shaped(0.4 if block == 2 else 1, 1, 1)(block)) == []


@pytest.mark.parametrize(
    ("course", "blocks"),
    [
        ((0.5, 1, 1), 2),  # no interval
        ((0.5,), 5),  # no rest
        ((0.5, 0.5, 0.5, 0.5), 5),  # cold from end to end
        ((1, 1, 1, 0.75, 1), 5),  # slow, but not at the beginning, and the rest by less than the tolerance
    ],
)
def test_what_it_cannot_see(course: tuple[float, ...], blocks: int) -> None:
    assert findings(shaped(*course, deviation=0.01), blocks) == []


def test_a_slow_start_that_comes_in_some_blocks_only_is_too_uncertain() -> None:
    """Who is cold in three of five blocks alone passes: the interval over blocks is wide."""
    assert findings(lambda block: shaped(0.5 if block % 2 else 1, 1, 1)(block)) == []


def test_an_open_load_sets_the_rate_itself() -> None:
    assert findings(shaped(0.5, 1, 1), is_open=True) == []


@pytest.mark.parametrize(("warmup_seconds", "expected"), [(0.0, "note"), (1.0, "warning")])
def test_a_number_of_requests_without_a_warm_up_begins_cold_on_purpose(warmup_seconds: float, expected: str) -> None:
    load = FixedLoad(kind="fixed", connections=4, requests=10_000, warmup_seconds=warmup_seconds)
    assert severities(findings(shaped(0.5, 1, 1), load=load)) == [expected]


@pytest.mark.parametrize(
    ("blocks", "seconds", "deviation", "first", "most"),
    [
        (3, 3, 0.05, 1.0, 0.005),
        (5, 3, 0.05, 1.0, 0.005),
        (5, 3, 0.3, 1.0, 0.05),
        (10, 15, 0.3, 1.0, 0.05),
        (5, 3, 0.05, np.exp(-0.1), 0.035),  # exactly at the tolerance: 2.5%
    ],
)
def test_how_often_an_honest_condition_is_accused(
    blocks: int, seconds: int, deviation: float, first: float, most: float
) -> None:
    """In 1,000 conditions, whose seconds scatter by so much (standard error 0.7 points at 5%)."""
    record = an_experiment(*(f"s{number}" for number in range(50)), blocks=blocks).record()
    shape = np.ones(seconds)
    shape[: max(1, seconds // 5)] = first
    plain, false = trials_of(record, a_trial()), 0
    for repetition in range(20):
        draws = np.random.default_rng(repetition).normal(size=(len(plain), seconds))
        rates = (4000 * np.exp(deviation * draws) * shape).tolist()
        trials = [window(trial, each) for trial, each in zip(plain, rates, strict=True)]
        false += len(list(CHECK.examine(Case(CHECK, trials, CHECK.thresholds_with({}), {}, 1, (), record))))
    assert false / 1000 <= most
