"""How long a run was, as its record says."""

from datetime import UTC, datetime, timedelta

import pytest

from fairtrial.judge.judging import judge, judge_record
from fairtrial.judge.run_length import as_timed, is_cut_off, is_time_over, level_of
from fairtrial.lab.decide import WhenDecided
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.report.columns import rank
from tests.builders import a_trial, an_experiment, trials_of


def with_looks(*stacks: str) -> ExperimentRecord:
    record = an_experiment(*stacks, blocks=40).record()
    return record.model_copy(update={"looks": [5, 10, 20, 40], "decide_within_seconds": 600.0})


def at(trial: TrialRecord, started_at: str, lasted_seconds: float) -> TrialRecord:
    return trial.model_copy(update={"started_at": started_at, "stage_seconds": {"load": lasted_seconds}})


@pytest.mark.parametrize(("complete", "level"), [(5, 0.99375), (10, 0.99375), (20, 0.9875), (40, 0.975)])
def test_the_level_is_that_of_the_look(complete: int, level: float) -> None:
    assert level_of(with_looks("a"), complete, time_is_over=False) == pytest.approx(level)
    assert level_of(an_experiment("a").record(), complete, time_is_over=False) == 0.95


@pytest.mark.parametrize(
    ("complete", "level"), [(5, 0.95), (7, 0.95625), (10, 0.95625), (13, 0.9625), (25, 0.975), (40, 0.975)]
)
def test_when_the_time_is_over_what_is_left_is_spent(complete: int, level: float) -> None:
    """By hand: 5% in all, of which 1/8, 1/4 and 1/2 are spent at the looks at 5, 10 and 20 of 40 blocks."""
    assert level_of(with_looks("a"), complete, time_is_over=True) == pytest.approx(level)


def test_a_ceiling_that_was_measured_before_the_last_trial_began_is_no_part_of_it() -> None:
    record = with_looks("a")
    first, second = trials_of(record, a_trial())[:2]
    began, last = at(first, "2026-01-01T00:00:00.000Z", 5.0), at(second, "2026-01-01T00:09:50.000Z", 9.5)
    with_ceiling = last.model_copy(update={"stage_seconds": {**last.stage_seconds, "ceiling": 1.0}})
    assert not is_time_over(record, [began, with_ceiling])
    assert is_time_over(record, [began, last.model_copy(update={"stage_seconds": {"load": 10.5}})])


def test_between_two_looks_only_the_clock_ends_a_run() -> None:
    assert level_of(with_looks("a"), 13, time_is_over=False) == pytest.approx(0.9625)


@pytest.mark.parametrize(("lasted_seconds", "is_over"), [(9.0, False), (10.5, True)])
def test_the_time_of_a_run_is_from_its_first_trial_to_the_end_of_its_last(lasted_seconds: float, is_over: bool) -> None:
    record = with_looks("a")
    first, *_, last = trials_of(record, a_trial())
    trials = [at(first, "2026-01-01T10:00:00.000Z", 30.0), at(last, "2026-01-01T10:09:50.000Z", lasted_seconds)]
    assert is_time_over(record, trials) is is_over
    assert not is_time_over(record.model_copy(update={"decide_within_seconds": None}), trials)
    assert not is_time_over(record, [])


def test_ranks_and_claims_of_a_run_with_looks_have_the_level_of_the_look() -> None:
    """Five blocks with a p-value of 0.013 decide in a run that looks once, and not at the first of four looks."""
    record = an_experiment("a", "b").claiming(of="a", to="b", at_least=1).record()
    faster = {1: 1010.0, 2: 1012.0, 3: 1030.0, 4: 1032.0, 5: 1040.0}
    trials = trials_of(record, lambda name, block: a_trial().serving(faster[block] if name == "a" else 1000.0))
    once = judge(record, trials, interrupted=False)
    looking = judge(record.model_copy(update={"looks": [5, 10, 20, 40]}), trials, interrupted=False)
    assert [rank(condition) for condition in once.conditions] == ["1", "2"]
    assert [rank(condition) for condition in looking.conditions] == ["1~2", "1~2"]
    assert [result.claims[0].verdict for result in (once, looking)] == ["upheld", "undecided"]


def test_a_run_with_looks_ends_at_the_end_of_any_block() -> None:
    record = an_experiment("a", "b", blocks=40).record().model_copy(update={"looks": [5, 10, 20, 40]})
    assert not is_cut_off(record, complete=13, trial_count=26, stages=set())
    assert is_cut_off(record, complete=13, trial_count=27, stages=set())
    assert is_cut_off(record, complete=4, trial_count=8, stages=set())
    assert is_cut_off(record, complete=13, trial_count=26, stages={"interrupted"})
    assert is_cut_off(an_experiment("a", "b").record(), complete=4, trial_count=8, stages=set())


def timed_by_the_clock(
    block_seconds: float, within_seconds: float, blocks: int
) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """A record as a run writes it whose first look is at three of two hundred blocks, and so many blocks of it."""
    record = an_experiment("a", "b", blocks=3).claiming(of="a", to="b", at_least=2).record()
    begun = datetime(2026, 1, 1, 10, tzinfo=UTC)
    faster = (2010.0, 1990.0, 2000.0)
    order = [record.order[0]] * 200
    update = {"looks": [3, 9, 24, 70, 200], "looks_from_clock": True, "decide_within_seconds": within_seconds}
    record = record.model_copy(update={**update, "order": order})
    trials = trials_of(record, lambda name, block: a_trial().serving(faster[block % 3] if name == "a" else 1000.0))
    return record, [
        at(
            trial,
            (begun + timedelta(seconds=block_seconds / 2 * (trial.index - 1))).isoformat(),
            block_seconds / 2,
        )
        for trial in trials
        if trial.block <= blocks
    ]


@pytest.mark.parametrize(
    ("within_seconds", "looks"),
    [(30.0, [3]), (40.0, [4]), (60.0, [3, 6]), (240.0, [3, 6, 12, 24]), (9e9, [3, 9, 24, 70, 200])],
)
def test_looks_are_planned_from_what_the_blocks_before_the_first_took(within_seconds: float, looks: list[int]) -> None:
    record, trials = timed_by_the_clock(10.0, within_seconds, 3)
    assert as_timed(record, trials).looks == judge(record, trials, interrupted=False).looks == looks
    assert as_timed(record, trials[:-1]).looks == record.looks, "a block before the first look is not over"
    assert as_timed(as_timed(record, trials), trials).looks == looks


def test_the_lab_and_the_judge_plan_the_same_looks() -> None:
    """Time for six blocks: the run goes on after the third, undecided, and ends with the sixth, which is the last."""
    record, trials = timed_by_the_clock(10.0, 60.0, 6)
    ends = [WhenDecided(record).reached(trials[: 2 * blocks]) for blocks in range(1, 7)]
    assert ends == [False] * 5 + [True]
    result = judge_record(record, trials)
    assert (result.looks, result.level, result.interrupted) == ([3, 6], pytest.approx(0.9625), False)


@pytest.mark.parametrize(("within_seconds", "ends_after", "looks"), [(58.0, 5, [3, 5]), (62.0, 6, [3, 6])])
def test_a_run_ends_in_its_time(within_seconds: float, ends_after: int, looks: list[int]) -> None:
    record, trials = timed_by_the_clock(10.0, within_seconds, 7)
    record = record.model_copy(update={"ends_in_time": True})
    end = WhenDecided(record)
    assert next(blocks for blocks in range(1, 8) if end.reached(trials[: 2 * blocks])) == ends_after
    assert as_timed(record, trials).looks == looks


def test_a_run_whose_blocks_get_longer_ends_before_the_one_that_would_end_too_late() -> None:
    record, trials = timed_by_the_clock(10.0, 60.0, 6)
    record = record.model_copy(update={"ends_in_time": True})
    later = [trial if trial.block <= 3 else at(trial, "2026-01-01T10:00:39.500Z", 9.0) for trial in trials]
    assert not WhenDecided(record).reached(later[:6])
    assert WhenDecided(record).reached(later[:8]), "48.5 s of 60 are over, and a block takes 12.1"
    result = judge_record(record, later[:8])
    assert (result.interrupted, result.level) == (False, pytest.approx(0.9625))


def test_a_record_from_before_looks_were_planned_from_the_clock_keeps_its_levels() -> None:
    record, trials = timed_by_the_clock(10.0, 60.0, 6)
    older = record.model_copy(update={"looks_from_clock": False, "looks": [3, 6, 12, 24]})
    result = judge_record(older, trials)
    assert (result.looks, result.level) == ([3, 6, 12, 24], pytest.approx(1 - 0.05 * (1 - 3 / 24)))
