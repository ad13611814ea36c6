"""The intervals by which contenders are compared: what cancels, what holds together, and what is not compared."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fairtrial.judge.judging import judge_record
from fairtrial.judge.statistics.estimate import paired_ratio
from fairtrial.judge.statistics.looks import level_at
from fairtrial.judge.statistics.ties import blocks_for_ranks
from fairtrial_docket.entries import entry_of
from fairtrial_docket.pages.choice import choice_data
from fairtrial_docket.questions import Question, QuestionFigure, compare, questions_of
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of

GOODPUT = "goodput_per_second"
P99 = "response_time_p99_seconds"
SPEED = (1.0, 0.5, 0.8, 1.2, 0.6, 0.9, 1.1, 0.7)
"""Of the machine, in each block."""


def questions(
    experiment: ExperimentBuilder, make: TrialBuilder | Callable[[str, int], TrialBuilder | None]
) -> list[Question]:
    record = experiment.record()
    trials = trials_of(record, make)
    return questions_of(record, judge_record(record, trials), trials)


def by_block(values: list[float]) -> dict[int, tuple[float, bool]]:
    return {block: (value, False) for block, value in enumerate(values, 1)}


def test_what_slows_a_whole_block_cancels() -> None:
    values = {"a": by_block([4000 * speed for speed in SPEED]), "b": by_block([2000 * speed for speed in SPEED])}
    figures = compare(values, 0.99)
    for name, typical in (("a", 4000), ("b", 2000)):
        figure = figures[name]
        assert figure.high == pytest.approx(figure.low) and figure.estimate == pytest.approx(figure.low)
        assert figure.own_low < 0.9 * typical < 1.05 * typical < (figure.own_high or 0)
    assert figures["a"].low / figures["b"].low == pytest.approx(2)


def test_of_two_it_is_the_paired_interval_of_their_ratio() -> None:
    a, b = [4000.0, 4100, 3900, 4200, 4050], [3900.0, 4150, 3700, 4000, 4010]
    figures = compare({"a": by_block(a), "b": by_block(b)}, 0.95)
    low, high = figures["a"].low / (figures["b"].high or 0), (figures["a"].high or 0) / figures["b"].low
    assert (low, high) == pytest.approx(paired_ratio(a, b, 0.95).interval)


@pytest.mark.parametrize(
    ("contenders", "looks"), [(2, [5]), (3, [5]), (6, [8]), (12, [20]), (2, [5, 10, 20]), (6, [5, 10, 20])]
)
def test_equal_contenders_are_told_apart_in_one_of_twenty_experiments_at_most(
    contenders: int, looks: list[int]
) -> None:
    """Of a run that ends at the first look at which any two lie apart, too."""
    chance, runs, wrong = np.random.default_rng(11), 400, 0
    for _ in range(runs):
        logs = 0.1 * chance.standard_normal((contenders, looks[-1])) + chance.standard_normal(looks[-1])
        for number, blocks in enumerate(looks, 1):
            values = {str(place): by_block(np.exp(row[:blocks]).tolist()) for place, row in enumerate(logs)}
            figures = compare(values, 1 - (1 - level_at(number, looks)) / (2 * contenders)).values()
            if max(each.low for each in figures) > min(each.high or np.inf for each in figures):
                wrong += 1
                break
    assert wrong <= 0.05 * runs


@pytest.mark.parametrize(("looks", "error"), [([], 0.05), ([8, 16], 0.0125)])
def test_a_run_that_could_end_at_several_looks_spends_the_error_of_its_last(looks: list[int], error: float) -> None:
    record = an_experiment(*"abcdef", blocks=8).record().model_copy(update={"looks": looks, "looks_from_clock": True})
    trials = trials_of(record, a_trial())
    [question] = questions_of(record, judge_record(record, trials), trials)
    intervals = 2 * sum(map(len, question.figures.values()))
    assert 1 - question.level == pytest.approx(error / intervals)
    assert question.least_blocks == blocks_for_ranks(6, 1 - error)


def test_contenders_that_share_too_few_blocks_leave_the_figures_of_others() -> None:
    def trial(name: str, block: int) -> TrialBuilder | None:
        return None if (name == "a" and block > 4) or (name == "b" and block < 4) else a_trial()

    [question] = questions(an_experiment("a", "b", "c", "d", blocks=8), trial)
    assert [GOODPUT in figures for figures in question.figures.values()] == [False, True, True, True]
    assert question.blocks == 5


def test_conditions_asked_otherwise_are_other_questions() -> None:
    swept = questions(an_experiment("a", "b").sweeping(8, 16), a_trial())
    assert [(each.in_words.rpartition("; ")[2], len(each.figures)) for each in swept] == [("at 8", 2), ("at 16", 2)]
    classes = questions(an_experiment("a", "b", "c").but(classes={"c": "flawed"}), a_trial())
    assert [len(each.figures) for each in classes] == [2, 1]


def test_a_refused_contender_and_the_twin_of_the_noise_floor_have_no_figure() -> None:
    def trial(name: str, _block: int) -> TrialBuilder:
        return a_trial().erring(status_5xx=90_000) if name == "b" else a_trial()

    [question] = questions(an_experiment("a", "b", "c").but(noise_floor=True), trial)
    assert [bool(figures) for figures in question.figures.values()] == [True, False, True]


def test_a_time_that_nobody_awaited_is_open_above() -> None:
    def trial(name: str, _block: int) -> TrialBuilder:
        return a_trial().unanswered_from(0.001) if name == "b" else a_trial()

    [question] = questions(an_experiment("a", "b"), trial)
    exact, bounded = (figures.get(P99) for figures in question.figures.values())
    assert isinstance(exact, QuestionFigure) and exact.high is not None
    assert isinstance(bounded, QuestionFigure) and (bounded.high, bounded.own_high) == (None, None)


def test_few_blocks_tell_nothing_apart() -> None:
    [question] = questions(an_experiment("a", "b", "c", blocks=3), a_trial())
    assert question.blocks == 3 < question.least_blocks
    assert not questions(an_experiment("a", "b", blocks=2), a_trial())[0].figures["a/default/random-item/sqlite"]


def test_more_blocks_narrow_intervals() -> None:
    [question] = questions(an_experiment("a", "b", blocks=6), a_trial())
    blocks, shares = zip(*question.narrowings, strict=True)
    assert blocks[0] == 8 and blocks[-1] <= 200 and list(shares) == sorted(shares, reverse=True)


def test_the_page_has_every_contender_in_the_units_of_tables() -> None:
    record = an_experiment("a", "b:v").record()
    stacks = [each.model_copy(update={"licence": "MIT"} if each.name == "a" else {}) for each in record.stacks]
    record = record.model_copy(update={"stacks": stacks})
    trials = trials_of(record, a_trial())
    result = judge_record(record, trials)
    entry = entry_of(result, "run", "run.jsonl.xz", record, trials)
    entry.questions.extend(questions_of(record, result, trials))
    data: dict[str, Any] = dict(choice_data([entry]))
    names = [each["name"] for each in data["figures"]]
    [question] = data["questions"]
    assert question["experiment"] == "FILE.toml"  # `fairtrial run synthetic` would find none
    shipped = replace(entry, experiment="quickstart")
    assert [each["experiment"] for each in dict[str, Any](choice_data([shipped]))["questions"]] == ["quickstart"]
    assert [each[2] for each in question["contenders"]] == ["a", "b:v"]
    assert [each[3][data["needs"].index("licence")] for each in question["contenders"]] == ["MIT", "not told"]
    figures = dict(zip(names, question["contenders"][0][5], strict=True))
    assert figures["goodput /s"][0] == pytest.approx(4000) and figures["memory MiB"][0] == pytest.approx(64)
