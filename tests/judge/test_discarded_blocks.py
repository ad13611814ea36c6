"""Blocks that the machine spoiled: left out whole where others take their place, and never because of a figure."""

from collections.abc import Mapping

import pytest

from fairtrial.experiment.slices import Slices
from fairtrial.judge.checks import all_checks
from fairtrial.judge.judging import judge, judge_record
from fairtrial.judge.model import Result
from fairtrial.judge.outcome import exit_status
from fairtrial.lab.decide import WhenComplete, WhenDecided
from fairtrial.record.machine import ProcessorUse
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.slices import Slicing
from tests.builders import TrialBuilder, a_slice, a_trial, an_experiment, trials_of

ROBBED = a_trial().on_machine(
    processors=[
        ProcessorUse(cpu=cpu, busy_seconds=1.0, interrupt_seconds=0.0, steal_seconds=1.5 * (cpu == 0)) for cpu in (0, 1)
    ]
)
"""The hypervisor took half of the server's processor."""
WRONG = a_trial().erring(wrong_body=1)
ROBBED_AND_WRONG = ROBBED.erring(wrong_body=1)
RATES = {"a": 4000.0, "b": 1900.0}
Special = Mapping[tuple[str, int], TrialBuilder]


def tried(
    special: Special, blocks: int, looks: list[int], bound: float = 2
) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """A run of so many blocks, in which `a` is 2.1 times as fast as `b`, give or take a tenth."""
    record = an_experiment("a", "b", blocks=max([blocks, *looks])).claiming("a", "b", at_least=bound).record()
    record = record.model_copy(update={"looks": looks})

    def make(name: str, block: int) -> TrialBuilder | None:
        if block > blocks:
            return None
        wobble = 1 + (block % 3 - 1) / 20 * (name == "a")
        return special.get((name, block), a_trial().serving(RATES[name] * wobble))

    return record, trials_of(record, make)


def judged(special: Special, blocks: int = 12, looks: list[int] | None = None) -> Result:
    record, trials = tried(special, blocks, [3, 6, 12, 24] if looks is None else looks)
    return judge(record, trials, interrupted=False)


def outcomes(result: Result) -> list[str]:
    return [condition.outcome for condition in result.conditions]


def test_a_block_that_the_machine_spoiled_is_left_out_for_all_conditions() -> None:
    result = judged({("a", 4): ROBBED})
    assert result.blocks_left_out == [4]
    assert (result.blocks_complete, outcomes(result)) == (12, ["valid", "valid"])
    for condition in result.conditions:
        figure = condition.figures["goodput_per_second"]
        assert figure is not None and figure.blocks == 11
    (claim,) = result.claims
    assert (claim.verdict, claim.blocks) == ("upheld", 11), claim.sentence
    spoiled = result.conditions[0].trials[3]
    assert (spoiled.outcome, spoiled.goodput) == ("refused", None)
    short, note = result.findings
    assert short.check == "not-stationary", "its windows are short"
    assert (note.check, note.severity) == ("stolen", "note")
    assert note.evidence.startswith("1 block left out whole") and note.evidence.endswith("4 (trial 7)")
    assert exit_status(result) == 0


def test_an_older_record_of_a_fixed_number_of_blocks_has_nothing_to_take_its_place() -> None:
    result = judged({("a", 4): ROBBED}, blocks=12, looks=[])
    assert (result.blocks_left_out, outcomes(result)) == ([], ["refused", "valid"])
    assert result.claims[0].verdict == "undecided"
    assert exit_status(result) == 3


def of_fixed_length(
    special: Special, planned: int, spare: int, blocks: int
) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """A run of `planned` blocks and `spare` ones, of which `blocks` were tried."""
    record, trials = tried(special, planned + spare, [])
    return record.model_copy(update={"spare_blocks": spare}), [trial for trial in trials if trial.block <= blocks]


@pytest.mark.parametrize(
    ("special", "blocks", "ends"),
    [
        ({}, 4, False),
        ({}, 5, True),
        ({("a", 2): ROBBED}, 5, False),
        ({("a", 2): ROBBED}, 6, True),
        ({("a", 2): ROBBED, ("b", 2): ROBBED}, 6, True),
        ({("a", 2): ROBBED, ("b", 6): ROBBED}, 6, False),
        ({("a", 2): ROBBED_AND_WRONG}, 5, True),
        ({("a", 2): WRONG}, 5, True),
    ],
)
def test_a_run_of_a_fixed_length_ends_when_so_many_blocks_are_kept(special: Special, blocks: int, ends: bool) -> None:
    assert (
        WhenComplete(of_fixed_length(special, 5, 2, blocks)[0]).reached(of_fixed_length(special, 5, 2, blocks)[1])
        is ends
    )


def test_a_spare_block_takes_the_place_of_a_spoiled_one() -> None:
    result = judge_record(*of_fixed_length({("a", 2): ROBBED}, 12, 3, 13))
    assert (result.blocks_left_out, result.blocks_planned, result.interrupted) == ([2], 13, False)
    assert outcomes(result) == ["valid", "valid"]
    assert (result.claims[0].verdict, result.claims[0].blocks, result.level) == ("upheld", 12, 0.95)
    assert exit_status(result) == 0


def test_spare_blocks_that_were_not_needed_are_no_interruption() -> None:
    whole = judge_record(*of_fixed_length({}, 12, 3, 12))
    assert (whole.interrupted, whole.blocks_planned, whole.blocks_complete) == (False, 12, 12)
    cut_off = judge_record(*of_fixed_length({}, 12, 3, 11))
    assert (cut_off.interrupted, cut_off.blocks_planned, cut_off.blocks_complete) == (True, 12, 11)
    record, trials = of_fixed_length({("a", 2): ROBBED}, 12, 3, 13)
    assert judge_record(record, trials[:-1]).interrupted


@pytest.mark.parametrize(
    ("special", "checks"),
    [
        ({("a", 4): WRONG}, "errors"),
        ({("a", 4): ROBBED_AND_WRONG}, "errors, stolen"),
        ({("a", 4): WRONG, ("b", 4): ROBBED}, "errors"),
    ],
)
def test_a_contenders_own_refusal_stands_whatever_the_machine_did_beside_it(special: Special, checks: str) -> None:
    """As one would try who answers wrongly, and hopes that the block goes."""
    result = judged(special)
    assert outcomes(result) == ["refused", "valid"]
    assert result.conditions[0].reason == f"1 of 12 trials refused: {checks}"
    assert result.claims[0].verdict == "undecided"
    assert exit_status(result) == 3


def test_where_every_block_is_spoiled_none_is_left_out() -> None:
    result = judged({("b", block): ROBBED for block in range(1, 13)})
    assert (result.blocks_left_out, outcomes(result)) == ([], ["valid", "refused"])


def test_blocks_are_not_left_out_for_what_a_stack_can_do_to_the_machine() -> None:
    """Memory that it takes swaps, its own work exhausts a quota, its requests wait for each other."""
    of_machine = {name for name, check in all_checks().items() if check.of_machine}
    assert of_machine == {"crowded-rounds", "foreign-load", "meters-late", "stolen", "whole-windows"}


@pytest.mark.parametrize(
    ("special", "ends"),
    [
        ({}, False),
        ({("a", 2): ROBBED}, False),
        ({("b", 1): ROBBED, ("b", 3): ROBBED, ("a", 5): ROBBED}, False),
        ({("a", 2): WRONG}, True),
        ({("a", 2): a_trial().failing("start", "it ended", by_contender=True)}, True),
        ({("a", 2): a_trial().failing("service", "it died")}, True),
    ],
)
def test_a_run_goes_on_while_further_blocks_can_decide_its_claims(special: Special, ends: bool) -> None:
    """The bound is the truth, so that six blocks do not decide it."""
    record, trials = tried(special, 6, [3, 6, 12, 24], bound=4000 / 1900)
    assert WhenDecided(record).reached(trials) is ends


def test_a_run_ends_where_those_are_decided_for_which_blocks_are_added() -> None:
    record, trials = tried({}, 6, [3, 6, 12, 24], bound=4000 / 1900)
    (claim,) = record.experiment.claims
    claims = [claim.model_copy(update={"adds_blocks": False})]
    record = record.model_copy(update={"experiment": record.experiment.model_copy(update={"claims": claims})})
    assert WhenDecided(record).reached(trials)


def test_a_property_can_be_refuted_after_a_trial_that_does_not_count() -> None:
    record = an_experiment("a", blocks=6).stating("property", of="a", property="no-write-lost").record()
    record = record.model_copy(update={"looks": [3, 6]})
    lost = {2: a_trial().failing("service", "it died")}
    trials = [
        trial for trial in trials_of(record, lambda _, block: lost.get(block, a_trial().storing())) if trial.block < 4
    ]
    assert not WhenDecided(record).reached(trials)


def in_slices_first(
    special: Special, idle_cpu_seconds: float, kept: int = 5
) -> tuple[ExperimentRecord, list[TrialRecord]]:
    """Of the six blocks of a run the first two are in slices; `b` is idle for ten seconds in each."""
    record, trials = tried(special, 6, [3, 6], bound=2.5)
    experiment = record.experiment.model_copy(update={"slices": Slices(gives_way=True)})
    record = record.model_copy(update={"experiment": experiment})
    slices = [a_slice(number, 0.02 if number <= kept else 0.4, kept=number <= kept) for number in range(1, 6)]
    for trial in trials[:4]:
        spent = idle_cpu_seconds if trial.condition.startswith("b") else 0.0
        trial.slices = Slicing(planned_rounds=5, rule="quiet", slices=slices, idle_seconds=10, idle_cpu_seconds=spent)
    return record, trials


@pytest.mark.parametrize(
    ("special", "idle_cpu_seconds", "kept", "expected"),
    [
        ({}, 2.0, 5, ["valid", "valid"]),
        ({("a", 1): a_trial().serving(40_000)}, 2.0, 5, ["valid", "valid"]),
        ({}, 0.0, 2, ["valid", "valid"]),
        ({("b", 1): WRONG}, 2.0, 5, ["valid", "refused"]),
    ],
)
def test_what_was_measured_in_slices_before_whole_windows_counts_for_nothing(
    special: Special, idle_cpu_seconds: float, kept: int, expected: list[str], snapshot: object
) -> None:
    record, trials = in_slices_first(special, idle_cpu_seconds, kept)
    result = judge(record, trials, interrupted=False)
    assert (result.blocks_left_out, outcomes(result)) == ([1, 2], expected)
    assert [each.evidence for each in result.findings if "in slices" in each.evidence] == snapshot
    if expected == ["valid", "valid"]:
        figure = result.conditions[0].figures["goodput_per_second"]
        assert figure is not None and figure.blocks == 4 and figure.estimate < 5000
        assert result.claims[0].blocks == 4


def test_as_long_as_all_is_in_slices_whoever_is_busy_while_idle_is_refused() -> None:
    record, trials = in_slices_first({}, 2.0)
    result = judge(record, trials[:4], interrupted=False)
    assert (result.blocks_left_out, outcomes(result)) == ([], ["valid", "refused"])
