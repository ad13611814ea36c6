"""Runs of one locked experiment, pooled over machines: which are, what they say, and that it is no more than that."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fairtrial.judge.judging import judge_record
from fairtrial.judge.statistics.ties import blocks_for_ranks
from fairtrial.record.model import ExperimentRecord
from fairtrial_docket.entries import ExperimentEntry, entry_of
from fairtrial_docket.machines import PooledQuestion, pooled_questions
from fairtrial_docket.pages.choice import choice_data
from fairtrial_docket.questions import Question, compare, questions_of
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of

GOODPUT, P99 = "goodput_per_second", "response_time_p99_seconds"
A, B = "a/default/random-item/sqlite", "b/default/random-item/sqlite"
HONEST = (2.0, 2.1, 1.95, 2.05, 2.0)
"""Ratios of a to b, a machine each."""
OTHERWISE = an_experiment("a", "b", blocks=8).but(noise_floor=True)
NOISE = (1.0, 1.004, 0.997, 1.002, 0.999, 1.001, 0.996, 1.003)


def run_on(
    machine: str, ratio: float, builder: ExperimentBuilder | None = None, refused: str = "", unanswered: str = ""
) -> ExperimentEntry:
    """A run where a is `ratio` times as fast as b, on a machine as fast as its name is long."""
    record = (builder or an_experiment("a", "b", blocks=8)).record()
    record = record.model_copy(update={"host": record.host.model_copy(update={"machine": machine})})

    def make(contender: str, block: int) -> TrialBuilder:
        rate = round(1000 * len(machine) * NOISE[(block + len(contender)) % 8] * (ratio if contender == "a" else 1))
        # No two trials measure the same, or one would be a copy.
        trial = a_trial().serving(rate).taking(16 / rate * (1 + 1e-6 * block + 1e-8 * ord(contender[0]) + 1e-9 * ratio))
        if contender == refused:
            return trial.erring(status_5xx=90_000)
        return trial.unanswered_from(0.001) if contender == unanswered else trial

    return entry(record, make)


def entry(record: ExperimentRecord, make: Any) -> ExperimentEntry:
    trials = trials_of(record, make)
    result = judge_record(record, trials)
    made = entry_of(result, record.host.machine or "", "record", record, trials)
    made.questions.extend(questions_of(record, result, trials))
    return made


def runs(ratios: Sequence[float] = HONEST) -> list[ExperimentEntry]:
    return [run_on("m" * number, ratio) for number, ratio in enumerate(ratios, 1)]


def only(entries: Sequence[ExperimentEntry]) -> PooledQuestion:
    [question] = pooled_questions(entries)
    return question


def ratio_of(question: Question, key: str = GOODPUT) -> tuple[float, float]:
    """The interval of a to b."""
    a, b = question.figures[A][key], question.figures[B][key]
    assert a.high is not None and b.high is not None
    return a.low / b.high, a.high / b.low


def test_machines_of_any_speed_have_one_answer() -> None:
    pooled = only(runs())
    assert pooled.machines == pooled.question.blocks == 5
    low, high = ratio_of(pooled.question)
    assert 1.7 < low < 2.0 < high < 2.4
    own = pooled.question.figures[B][GOODPUT]
    assert own.own_low < 1000 and (own.own_high or 0) > 5000, "from 1,000 to 5,000 /s"
    assert own.disagreeing == 0


@pytest.mark.parametrize(
    "entries",
    [
        runs(HONEST[:2]),
        [*runs(HONEST[:2]), run_on("m", 2.2)],
        [*runs(HONEST[:2]), run_on("mmm", 2.0, OTHERWISE)],
    ],
    ids=["two machines", "a second run of one", "another lock"],
)
def test_fewer_than_three_machines_are_no_pool(entries: list[ExperimentEntry]) -> None:
    assert pooled_questions(entries) == []
    assert [each["machines"] for each in questions_on_page(entries)] == [1] * len(entries)


def test_runs_of_one_machine_are_one_machine() -> None:
    again = run_on("m", 2.2)
    pooled = only([*runs(), again])
    assert pooled.machines == 5 and any(run is again for run in pooled.runs)


def test_one_who_lies_does_not_decide() -> None:
    pooled = only([*runs(), run_on("m" * 6, 0.4)])
    assert pooled.question.figures[A][GOODPUT].disagreeing == 1
    low, high = ratio_of(pooled.question)
    assert low < 1 < 2 < high, "what it says is in the interval"
    a, b = (pooled.question.figures[each][GOODPUT].estimate for each in (A, B))
    assert a / b == pytest.approx(2, rel=0.05), "without it, as one may lie"


def test_a_refusal_on_one_machine_leaves_the_others_and_is_told(snapshot: object) -> None:
    entries = [*runs(HONEST[:4]), run_on("mmmmm", 2, refused="b")]
    pooled = only(entries)
    assert (pooled.machines, pooled.question.blocks) == (5, 4)
    first = questions_on_page(entries)[0]
    notes = {each[0]: each[6] for each in first["contenders"]}
    assert notes["a"] == ""
    assert notes["b"] == snapshot
    everywhere = [run_on("m" * number, 2, refused="b") for number in (1, 2, 3)]
    reasons = {each[0]: each[4] for each in questions_on_page(everywhere)[0]["contenders"]}
    assert reasons["b"] == snapshot


def test_a_time_that_nobody_awaited_on_one_machine_is_open_above() -> None:
    pooled = only([*runs(HONEST[:4]), run_on("mmmmm", 2, unanswered="b")])
    assert pooled.question.figures[B][P99].high is None is pooled.question.figures[B][P99].own_high
    assert pooled.question.figures[A][P99].high is not None


@pytest.mark.parametrize("low", [0.0, 5e-324])
def test_an_interval_that_holds_any_value_is_no_figure_of_its_machine(low: float) -> None:
    *others, last = runs()
    [part] = last.questions
    figures = {**part.figures, B: {**part.figures[B], GOODPUT: replace(part.figures[B][GOODPUT], low=low, high=None)}}
    last.questions[:] = [replace(part, figures=figures)]
    pooled = only([*others, last]).question
    assert pooled.figures[B][GOODPUT].blocks == 4 and pooled.figures[B][P99].blocks == 5


def test_without_a_lock_nothing_is_pooled() -> None:
    assert pooled_questions([replace(each, lock="") for each in runs()]) == []


def questions_on_page(entries: list[ExperimentEntry]) -> list[dict[str, Any]]:
    data: dict[str, Any] = dict(choice_data(entries))
    return list(data["questions"])


def test_the_page_has_the_pool_its_runs_and_records_and_the_parts_for_who_chooses_a_machine() -> None:
    other = run_on("m", 2, OTHERWISE)
    questions = questions_on_page([*runs(), other])
    assert [(each["machines"], each["part"], len(each["of"])) for each in questions] == [
        (5, False, 5),
        *[(1, True, 1)] * 5,
        (1, False, 1),
    ]
    assert all(run[4] == "record" for run in questions[0]["of"])
    assert {contender[3][6] for contender in questions[0]["contenders"]} == {"5 machines, pooled"}


def test_few_machines_rank_few_contenders() -> None:
    six = an_experiment(*"abcdef", blocks=8)
    question = only([run_on("m" * number, 2, six) for number in (1, 2, 3)]).question
    assert question.blocks == 3 < question.least_blocks == blocks_for_ranks(6)


@pytest.mark.parametrize(("machines", "between"), [(3, 0.0), (5, 0.1), (8, 0.05)])
def test_equal_contenders_are_told_apart_in_one_of_twenty_pools_at_most(machines: int, between: float) -> None:
    """Contenders that are equal over machines, and differ on each: `between` is their standard deviation."""
    chance, pools, wrong = np.random.default_rng(7), 100, 0
    [template] = run_on("m", 1, an_experiment("a", "b", "c", blocks=8)).questions
    names, level = list(template.figures), 1 - 0.05 / 6
    for _ in range(pools):
        entries = []
        for place in range(machines):
            typical = between * chance.standard_normal((3, 1)) + chance.standard_normal()
            logs = typical + 0.02 * chance.standard_normal((3, 8)) + 0.2 * chance.standard_normal(8)
            values = {
                name: {block: (float(value), False) for block, value in enumerate(np.exp(row))}
                for name, row in zip(names, logs, strict=True)
            }
            figures = {name: {GOODPUT: figure} for name, figure in compare(values, level).items()}
            part = replace(template, figures=figures, level=level)
            entries.append(replace(ENTRY, identity=str(place), lock="same", measured=(str(place),), questions=[part]))
        of = [each[GOODPUT] for each in only(entries).question.figures.values()]
        wrong += max(each.low for each in of) > min(each.high or np.inf for each in of)
    assert wrong <= 0.05 * pools


ENTRY = run_on("m", 1)
