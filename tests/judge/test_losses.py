"""Metrics that a finding takes from trials which stand otherwise: no figure, rank or verdict rests on them."""

from collections.abc import Sequence

import pytest

from fairtrial.judge import judging
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.losses import Losses
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.outcome import exit_status
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.tools.compare.comparison import JudgedRun, compare_runs
from tests.builders import an_experiment, trials_of
from tests.judge.claims.scene import served

RATES = {"a": 4000.0, "b": 3000.0, "c": 1000.0}


def taking(trial: int, *metrics: str, check: str = "stale") -> Finding:
    return Finding(
        check=check, severity="refusal", evidence="it was cold", remedy="warm it", trial=trial, metrics=metrics
    )


def judged(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> JudgedRun:
    record = an_experiment(*RATES, blocks=6).claiming("a", "c", at_least=2).claiming("b", "c", at_least=2).record()
    trials = trials_of(record, served(RATES))
    monkeypatch.setattr(judging, "run_checks", lambda _record, _trials: findings)
    return JudgedRun(record, trials, judging.judge(record, trials, interrupted=False))


def indices(trials: Sequence[TrialRecord], name: str, *blocks: int) -> list[int]:
    return [each.index for each in trials if each.condition.startswith(f"{name}/") and each.block in blocks]


@pytest.fixture(scope="module")
def trials() -> Sequence[TrialRecord]:
    record: ExperimentRecord = an_experiment(*RATES, blocks=6).record()
    return trials_of(record, served(RATES))


def test_a_contenders_own_loss_in_one_trial_takes_the_figure_and_what_rests_on_it(
    monkeypatch: pytest.MonkeyPatch, trials: Sequence[TrialRecord], snapshot: object
) -> None:
    (index,) = indices(trials, "a", 2)
    result = judged(monkeypatch, taking(index, "goodput")).result
    by_name = {condition.contender: condition for condition in result.conditions}
    assert {trial.outcome for each in result.conditions for trial in each.trials} == {"valid"}
    assert by_name["a"].figures["goodput_per_second"] is None and by_name["a"].rank is None
    assert by_name["a"].scatter is None
    assert by_name["a"].figures["response_time_p50_seconds"] is not None
    assert [by_name[name].rank for name in "bc"] == [(1, 1), (2, 2)]
    assert [trial.goodput is None for trial in by_name["a"].trials] == [
        trial.index == index for trial in by_name["a"].trials
    ]
    of_a, of_b = result.claims
    assert (of_a.verdict, of_b.verdict) == ("undecided", "upheld")
    assert of_a.reason is not None and of_a.reason == snapshot
    assert "To decide it, warm it." in of_a.sentence
    assert exit_status(result) == 3


def test_a_loss_by_the_machine_leaves_out_its_block_for_both_sides(
    monkeypatch: pytest.MonkeyPatch, trials: Sequence[TrialRecord]
) -> None:
    late = [taking(index, "goodput", check="meters-late") for index in indices(trials, "a", 2, 5)]
    result = judged(monkeypatch, *late).result
    (of_a, of_b), figures = result.claims, result.conditions[0].figures["goodput_per_second"]
    assert (of_a.verdict, of_a.blocks) == ("upheld", 4)
    assert (of_b.verdict, of_b.blocks) == ("upheld", 6)
    assert figures is not None and figures.blocks == 4


@pytest.mark.parametrize(("blocks", "is_known"), [((1, 2, 3), True), ((1, 2, 3, 4), False)])
def test_if_most_blocks_are_lost_there_is_no_figure(
    monkeypatch: pytest.MonkeyPatch, trials: Sequence[TrialRecord], blocks: tuple[int, ...], is_known: bool
) -> None:
    late = [taking(index, "goodput", check="meters-late") for index in indices(trials, "a", *blocks)]
    result = judged(monkeypatch, *late).result
    assert (result.conditions[0].figures["goodput_per_second"] is not None) == is_known
    assert (result.claims[0].verdict == "upheld") == is_known
    if not is_known:
        assert "of 4 of 6 blocks is lost" in (result.claims[0].reason or "")
        assert "To decide it, warm it." in result.claims[0].sentence


def test_two_runs_are_not_compared_by_what_one_of_them_lost(
    monkeypatch: pytest.MonkeyPatch, trials: Sequence[TrialRecord], snapshot: object
) -> None:
    (index,) = indices(trials, "a", 2)
    before, after = judged(monkeypatch), judged(monkeypatch, taking(index, "goodput"))
    rows = compare_runs([before], [after], [METRICS["goodput"]], margin=0.05, run_spread=0.0).rows
    changes = {row.contender: (row.change, row.reason) for row in rows}
    assert changes["a"][0] == "not compared" and changes["a"][1] == snapshot
    assert changes["b"][0] == "within the margin"


def test_a_metric_is_taken_of_all_requests_or_of_one() -> None:
    metric, trial = METRICS["response_time_p99"], trials_of(an_experiment("a").record(), served({"a": 1000.0}))[0]
    short, long = metric.of_request("short"), metric.of_request("long of it")
    of_all = Losses.of({trial.index: [taking(trial.index, "response_time_p99")]})
    assert [of_all.taking(each, trial) is not None for each in (metric, short, long)] == [True] * 3
    of_one = Losses.of({trial.index: [taking(trial.index, "response_time_p99 of long of it")]})
    assert [of_one.taking(each, trial) is not None for each in (metric, short, long)] == [False, False, True]
    assert of_one.taking(METRICS["response_time_p95"].of_request("long of it"), trial) is None
