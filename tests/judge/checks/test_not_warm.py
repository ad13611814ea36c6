"""Warm-ups that end too early, windows that begin slowly, and how often honest ones are accused."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from fairtrial.judge.checks import run_load_checks
from fairtrial.judge.checks.model import Case, Finding
from fairtrial.judge.checks.not_warm import not_warm
from fairtrial.judge.judging import judge
from fairtrial.load.fixed import FixedLoad
from fairtrial.load.kinds import Load
from fairtrial.load.ramp import RampLoad
from fairtrial.record.capacity import CapacitySearch
from fairtrial.record.engine_summary import SecondOfSeries, Tenths, WarmUp
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, a_warm_up, an_experiment, trials_of
from tests.judge.checks.findings import found, severities

Rates = Sequence[float]


def window(trial: TrialRecord, rates: Rates, *, is_open: bool = False, tenths: bool = False) -> TrialRecord:
    """The trial with this goodput in each second, or tenth of one; of an open load, with as much faster answers."""
    assert trial.engine is not None
    counts = [round(rate) for rate in rates]
    series = [
        SecondOfSeries(verified=4000 if is_open else count, errors=0, p50_seconds=16 / rate if rate else None)
        for count, rate in zip(counts, rates, strict=True)
    ]
    changes = {
        "series": [] if tenths else series,
        "tenths": Tenths(verified=counts, errors=[], max_seconds=[]) if tenths else None,
        "window_seconds": len(rates) / (10 if tenths else 1),
        "achieved_over_offered": 1.0 if is_open else None,
    }
    return trial.model_copy(update={"engine": trial.engine.model_copy(update=changes)})


def findings(
    rates: Callable[[int], Rates],
    blocks: int = 5,
    *,
    is_open: bool = False,
    tenths: bool = False,
    load: Load | None = None,
) -> list[Finding]:
    """Those about a condition whose seconds are these in each block, from 1; beside an even one."""
    record = an_experiment("a", "b", blocks=blocks).record()
    if load is not None:
        conditions = [each.model_copy(update={"load": load}) for each in record.conditions]
        record = record.model_copy(update={"conditions": conditions})
    trials = [
        window(trial, rates(trial.block), is_open=is_open, tenths=tenths) if trial.condition.startswith("a/") else trial
        for trial in trials_of(record, a_trial())
    ]
    return found("not-warm", record, trials)


def noise(seed: int, seconds: int, deviation: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.asarray(4000 * np.exp(deviation * np.random.default_rng(seed).normal(size=seconds)))


def shaped(*shape: float, deviation: float = 0.03) -> Callable[[int], Rates]:
    """Windows of this course, in shares of their pace, with noise of each second's own."""
    return lambda block: list(noise(block, len(shape), deviation) * np.asarray(shape))


def test_a_slow_first_second_of_each_window_of_three_is_seen(snapshot: object) -> None:
    seen = findings(shaped(0.74, 1, 1))
    assert severities(seen) == ["refusal"] * 5 and len({finding.trial for finding in seen} - {None}) == 5
    assert seen[0].evidence == snapshot
    assert "warmup_seconds" in seen[0].remedy


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
    assert severities(findings(shaped(*course))) == ["refusal"] * 5


def test_a_window_below_two_seconds_is_cut_by_tenths() -> None:
    assert severities(findings(shaped(0.3, 0.3, 0.3, *[1] * 10), tenths=True)) == ["refusal"] * 5
    assert findings(shaped(*[1] * 12), tenths=True) == []
    assert findings(shaped(0.3, 1, 1, 1), tenths=True) == []  # too short


def test_what_the_lab_takes_when_a_window_opens_is_not_held_against_the_contender() -> None:
    """Its meters: a quarter of the first tenth, where the load engine has no other processor."""
    assert findings(shaped(0.72, 1, 1, 1, 1), tenths=True) == []
    assert severities(findings(shaped(0.72, 0.72, 1, 1, 1), tenths=True)) == ["refusal"] * 5


def test_of_an_open_load_the_medians_tell() -> None:
    assert severities(findings(shaped(0.5, 1, 1), is_open=True)) == ["refusal"] * 5
    assert findings(shaped(1, 1, 1), is_open=True) == []
    assert findings(shaped(0, 1, 1), is_open=True) == []  # a second without an answer has no median


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


@pytest.mark.parametrize(("warmup_seconds", "expected"), [(0.0, ["note"]), (1.0, ["refusal"] * 5)])
def test_a_number_of_requests_without_a_warm_up_begins_cold_on_purpose(
    warmup_seconds: float, expected: list[str]
) -> None:
    load = FixedLoad(kind="fixed", connections=4, requests=10_000, warmup_seconds=warmup_seconds)
    assert severities(findings(shaped(0.5, 1, 1), load=load)) == expected


def test_the_parts_of_a_window_whose_rate_changes_by_intent_are_not_compared() -> None:
    ramp = RampLoad(kind="ramp", from_per_second=100, to_per_second=4000)
    assert severities(findings(shaped(0.5, 1, 1), is_open=True)) != []
    assert findings(shaped(0.5, 1, 1), is_open=True, load=ramp) == []


def test_windows_of_a_search_are_chosen_and_not_compared() -> None:
    """Of those at a rate, one counts in which the objective held: a queue that the warm-up left goes in it."""

    def refused(capacity: CapacitySearch | None, warm_up: WarmUp | None = None) -> set[str]:
        record = an_experiment("a", blocks=5).record()
        trials = trials_of(record, a_trial().but(capacity=capacity, warm_up=warm_up))
        emptied = [window(trial, shaped(0.5, 1, 1)(trial.block), is_open=True) for trial in trials]
        return set(severities(found("not-warm", record, emptied)))

    search = CapacitySearch(probes=[], found=[])
    assert refused(None) == {"refusal"}
    assert refused(search) == set()
    assert refused(search, a_warm_up("rising", 0.5)) == {"refusal"}, "its warm-up tells all the same"


def test_who_is_cold_at_the_limit_of_the_warm_up_has_no_figure(snapshot: object) -> None:
    record = an_experiment("a", "b", blocks=1).record()
    trials = trials_of(record, a_trial().but(warm_up=a_warm_up("rising", 0.183, seconds=30.02)))
    seen = found("not-warm", record, trials)
    assert severities(seen) == ["refusal"] * 2
    assert seen[0].evidence == snapshot
    assert "warmup_limit_seconds" in seen[0].remedy
    assert {trial.outcome for each in judge(record, trials, interrupted=False).conditions for trial in each.trials} == {
        "refused"
    }


@pytest.mark.parametrize("warm_up", [None, a_warm_up("flat"), a_warm_up("unknown", None), a_warm_up("flat", -0.4)])
def test_who_was_warm_or_is_not_known_not_to_be_is_not_refused(warm_up: WarmUp | None) -> None:
    record = an_experiment("a", blocks=1).record()
    assert found("not-warm", record, trials_of(record, a_trial().but(warm_up=warm_up))) == []


def test_a_load_by_itself_is_refused_as_well() -> None:
    trial = a_trial().but(warm_up=a_warm_up("rising", 0.5)).record()
    assert [finding.severity for finding in run_load_checks([trial], {}, 1) if finding.check == "not-warm"] == [
        "refusal"
    ]


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
        seen = not_warm.findings(Case.of(record, trials), {})
        of_condition = {trial.index: trial.condition for trial in trials}
        false += len(
            {finding.contenders[0] if finding.trial is None else of_condition[finding.trial] for finding in seen}
        )
    assert false / 1000 <= most
