"""Trials in slices with a whole window of their own: which figures are read from which, and what is left out."""

from collections.abc import Callable
from typing import Any

import pytest

from fairtrial.experiment.slices import Slices
from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.record.model import TrialRecord
from fairtrial.record.slices import Slicing, WholeWindow
from tests.builders import TrialBuilder, a_slice, a_trial, an_experiment, times, trials_of

BLOCKS = 12
OF_SLICES, OF_WHOLE = 0.004, 0.003
"""Medians; the p99 of either is a multiple of it."""
P50, P99, LONGEST = "response_time_p50_seconds", "response_time_p99_seconds", "response_time_max_seconds"


def answering(median_seconds: float) -> TrialBuilder:
    """A closed load of 16 connections, whose rate follows from the times."""
    return a_trial().serving(16 / median_seconds).taking(median_seconds)


def window(trial: TrialBuilder, *, kept: bool = True, foreign: float = 0.02) -> WholeWindow:
    engine = trial.record().engine
    assert engine is not None
    return WholeWindow(place=1, engine=engine, foreign_server_share=foreign, foreign_engine_share=0.01, is_kept=kept)


def in_slices(trial: TrialRecord, whole: WholeWindow | None, **changes: Any) -> TrialRecord:
    slices = [a_slice(number, 0.02, kept=True) for number in range(1, 13)]
    facts = {"planned_rounds": 12, "rule": "quiet", "idle_seconds": 10.0, "idle_cpu_seconds": 0.1}
    slicing = Slicing.model_validate({**facts, "tails_of_slices": False, **changes})
    return trial.model_copy(update={"slices": slicing.model_copy(update={"slices": slices, "whole_window": whole})})


def judged(
    whole: Callable[[str, int], WholeWindow | None],
    slices: TrialBuilder | None = None,
    claim: dict[str, Any] | None = None,
    **changes: Any,
) -> Result:
    """Two contenders in slices; `whole` makes the window of one in a block."""
    record = an_experiment("a", "b", blocks=BLOCKS).claiming("a", "b", **(claim or {"at_least": 0.9})).record()
    experiment = record.experiment.model_copy(update={"slices": Slices(tails=True)})
    record = record.model_copy(update={"experiment": experiment})
    trials = [
        in_slices(trial, whole(trial.condition[0], trial.block), **changes)
        for trial in trials_of(record, slices or answering(OF_SLICES))
    ]
    return judge(record, trials, interrupted=False)


def undisturbed(_name: str, _block: int) -> WholeWindow:
    return window(answering(OF_WHOLE))


def test_the_median_is_that_of_the_slices_and_tails_are_those_of_the_whole_window(snapshot: object) -> None:
    result = judged(undisturbed)
    slices, whole = times(1, OF_SLICES), times(1, OF_WHOLE)
    for condition in result.conditions:
        figures = {key: each.estimate for key, each in condition.figures.items() if each is not None}
        assert figures[P50] == pytest.approx(slices.percentiles["50"])
        assert figures[P99] == pytest.approx(whole.percentiles["99"])
        assert figures["service_time_p99_seconds"] == pytest.approx(0.98 * whole.percentiles["99"])
        assert figures[LONGEST] == pytest.approx(whole.max_seconds)
        of_trial = condition.trials[0].response_time
        assert of_trial is not None
        of_one = (of_trial.p50_seconds, of_trial.p99_seconds, of_trial.max_seconds)
        assert of_one == pytest.approx((figures[P50], figures[P99], figures[LONGEST]))
    (note,) = [each for each in result.findings if each.check == "whole-windows"]
    assert (note.severity, note.evidence) == ("note", snapshot)


def test_where_others_were_at_work_the_block_is_left_out_for_tails_alone(snapshot: object) -> None:
    """In the second block others were at work beside one side, so that neither counts. That side's p99 was three
    times as long."""

    def whole(name: str, block: int) -> WholeWindow:
        if block != 2:
            return undisturbed(name, block)
        busy = name == "a"
        return window(answering(OF_WHOLE * (3 if busy else 1)), kept=False, foreign=0.4 if busy else 0.02)

    result = judged(whole, claim={"metric": "response_time_p99", "at_most": 1.1})
    (claim,) = result.claims
    assert (claim.verdict, claim.blocks) == ("upheld", BLOCKS - 1)
    lost = [each for condition in result.conditions for trial in condition.trials for each in trial.findings]
    assert [(each.severity, each.takes("goodput"), each.takes("response_time_p99.9")) for each in lost] == [
        ("refusal", False, True)
    ] * 2
    assert lost[0].evidence == snapshot
    rates = judged(whole, claim={"at_least": 0.9}).claims[0]
    assert (rates.verdict, rates.blocks) == ("upheld", BLOCKS)


def test_without_a_whole_window_there_is_no_figure_of_tails_and_it_is_said_why(snapshot: object) -> None:
    result = judged(lambda *_: None, claim={"metric": "response_time_p99", "at_most": 1.1})
    assert result.conditions[0].figures[P50] is not None
    assert result.conditions[0].figures[P99] is result.conditions[0].figures[LONGEST] is None
    (note,) = [each for each in result.findings if each.check == "whole-windows"]
    assert (note.severity, note.evidence) == ("note", snapshot)
    (claim,) = result.claims
    assert (claim.verdict, claim.sentence) == ("undecided", snapshot)


def test_older_records_have_the_tails_of_their_slices() -> None:
    result = judged(lambda *_: None, tails_of_slices=True)
    p99 = result.conditions[0].figures[P99]
    assert p99 is not None and p99.estimate == pytest.approx(times(1, OF_SLICES).percentiles["99"])
    assert not [each for each in result.findings if each.check == "whole-windows"]


def test_errors_take_the_tails_of_the_window_that_they_are_in(snapshot: object) -> None:
    """Eleven errors among twelve thousand answers: too many below p99.9, and too few to refuse the trial."""
    erring = answering(OF_WHOLE).erring(status_5xx=5)
    of_whole = judged(lambda *_: window(erring))
    of_slices = judged(undisturbed, answering(OF_SLICES).erring(status_5xx=5))
    for result, longest_is_lost in ((of_whole, True), (of_slices, False)):
        figures = result.conditions[0].figures
        assert (figures[LONGEST] is None) is longest_is_lost
        assert figures[P50] is not None
    wrong = judged(lambda *_: window(answering(OF_WHOLE).erring(wrong_body=1)))
    assert {condition.outcome for condition in wrong.conditions} == {"refused"}
    evidence = wrong.conditions[0].trials[0].findings[0].evidence
    assert evidence == snapshot


def test_what_others_took_of_one_side_in_whole_windows_widens_the_ratio_of_tails_alone() -> None:
    def whole(name: str, _block: int) -> WholeWindow:
        return window(answering(OF_WHOLE), foreign=0.09 if name == "a" else 0.0)

    tails = judged(whole, claim={"metric": "response_time_p99", "at_least": 0.95})
    assert tails.claims[0].verdict == "undecided"
    assert "unequal-foreign-load" in [each.check for each in tails.claims[0].findings]
    rates = judged(whole, claim={"at_least": 0.95})
    assert rates.claims[0].verdict == "upheld" and rates.claims[0].findings == []
