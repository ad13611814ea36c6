"""Whether a condition's work was counted by somebody else than its stack, and that its row says so if not."""

import io

import pytest
from rich.console import Console

from fairtrial.judge.judging import judge, work_proven
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.proof import ImpliedWork, Ledger
from fairtrial.report.html import html_text
from fairtrial.report.markdown import markdown_text
from fairtrial.report.terminal import print_result
from tests.builders import a_trial, an_experiment, trials_of

EXPERIMENT = an_experiment("a", blocks=1).record()
(CONDITION,) = EXPERIMENT.conditions


def implying(**work: float) -> ExperimentRecord:
    implied = {CONDITION.id: ImpliedWork(per_answer=work)}
    return EXPERIMENT.model_copy(update={"implied_work": implied})


def counted(**done: int) -> TrialRecord:
    ledger = Ledger(done=done, verified=10_000, answers=10_000) if done else None
    return a_trial().record().model_copy(update={"ledger": ledger, "condition": CONDITION.id})


@pytest.mark.parametrize(
    ("work", "done", "proven"),
    [
        ({"reads": 1.0}, {"reads": 10_000}, True),
        ({"reads": 1.0}, {"reads": 0}, True),  # counted: the ledger refuses it
        ({"reads": 1.0}, {}, False),
        ({"reads": 1.0}, {"commits": 10_000}, False),
        ({"computations": 1.0}, {"reads": 10_000}, False),
        ({"reads": 0.0}, {}, None),
    ],
)
def test_what_nobody_counted_is_not_proven(work: dict[str, float], done: dict[str, int], proven: bool | None) -> None:
    assert work_proven(implying(**work), CONDITION, [counted(**done)]) is proven


def test_one_trial_without_a_count_is_one_too_many() -> None:
    record = implying(reads=1.0)
    assert work_proven(record, CONDITION, [counted(reads=1), counted()]) is False
    assert work_proven(record, CONDITION, []) is None


def test_without_a_database_only_other_work_can_be_implied() -> None:
    without = CONDITION.model_copy(update={"service": "none"})
    assert work_proven(implying(rows_written=1.0), without, [counted()]) is None
    assert work_proven(implying(calls=1.0), without, [counted()]) is False
    assert work_proven(implying(calls=1.0), without, [counted(calls=10_000)]) is True


@pytest.mark.parametrize("proven", [True, False])
def test_each_table_says_it(proven: bool) -> None:
    record = implying(reads=1.0)
    trials = [counted(reads=10_000)] if proven else trials_of(record, a_trial())
    result = judge(record, trials, interrupted=False)
    assert result.conditions[0].work_proven is proven
    console = Console(width=80, record=True, file=io.StringIO())
    print_result(result, console)
    for text in (console.export_text(), markdown_text(result), html_text(result, record, trials)):
        assert ("work not proven" in text) is not proven
