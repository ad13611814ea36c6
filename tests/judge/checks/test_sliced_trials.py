"""Trials in slices: what the checks make of them."""

from typing import Any

import pytest

from fairtrial.judge.checks import all_checks
from fairtrial.record.model import Failure, TrialRecord
from fairtrial.record.slices import Slicing
from tests.builders import TrialBuilder, a_slice, a_trial, an_experiment
from tests.judge.checks.findings import found, severities

RECORD = an_experiment("a", "b").record()


def in_slices(kept: int, of: int, trial: TrialBuilder | None = None, **idle: Any) -> TrialRecord:
    """A trial whose first rounds were kept."""
    slices = [
        a_slice(number, 0.02 if number <= kept else 0.4, kept=number <= kept, foreign_engine_share=0.02)
        for number in range(1, of + 1)
    ]
    spent = {"idle_seconds": 10.0, "idle_cpu_seconds": 0.1} | idle
    slicing = Slicing(planned_rounds=12, rule="quiet" if kept > 2 else "even", slices=slices, **spent)
    return (trial or a_trial()).record().model_copy(update={"slices": slicing})


@pytest.mark.parametrize(("cpu_seconds", "expected"), [(0.49, []), (0.5, ["refusal"]), (9.0, ["refusal"])])
def test_a_server_that_is_busy_while_nobody_asks_it_is_refused(cpu_seconds: float, expected: list[str]) -> None:
    trial = in_slices(12, 12, idle_cpu_seconds=cpu_seconds)
    assert severities(found("busy-while-idle", RECORD, [trial])) == expected
    of_services = in_slices(12, 12, idle_service_cpu_seconds=cpu_seconds)
    assert severities(found("busy-while-idle", RECORD, [of_services])) == ["warning" for _ in expected]


def test_of_a_trial_at_one_go_nothing_is_asked_about_idle_time() -> None:
    assert found("busy-while-idle", RECORD, [a_trial().record()]) == []


def test_a_server_that_asks_the_one_that_is_measured_is_refused_and_so_is_the_other(snapshot: object) -> None:
    conditions = [each.id for each in RECORD.conditions]
    asking = in_slices(12, 12, asked_slices=3)
    asked = in_slices(12, 12, askers=conditions[1:])
    assert severities(found("asked-by-others", RECORD, [in_slices(12, 12)])) == []
    for trial in (asking, asked):
        (finding,) = found("asked-by-others", RECORD, [trial])
        assert finding.severity == "refusal"
        assert finding.evidence == snapshot


@pytest.mark.parametrize(("kept", "expected"), [(2, ["refusal"]), (3, [])])
def test_a_block_of_which_others_disturbed_all_but_two_rounds_is_left_out(kept: int, expected: list[str]) -> None:
    """It is refused for the machine alone, so that another takes its place; who could not be measured is no such case.

    A block that is left out has no claim to itself: `tests/judge/test_discarded_blocks.py`.
    """
    experiment: Any = RECORD.experiment.model_dump() | {"service": "none", "slices": {}}
    record = RECORD.model_copy(update={"experiment": RECORD.experiment.model_validate(experiment)})
    trial = in_slices(kept, 24)
    assert severities(found("crowded-rounds", record, [trial])) == expected
    assert all_checks()["crowded-rounds"].of_machine
    failed = trial.model_copy(update={"failure": Failure(stage="crowded", reason="one beside it", remedy="see why")})
    assert found("crowded-rounds", record, [failed]) == []


def test_the_rule_and_what_was_kept_are_told_for_the_whole_experiment(snapshot: object) -> None:
    experiment: Any = RECORD.experiment.model_dump() | {"service": "none", "slices": {}}
    record = RECORD.model_copy(update={"experiment": RECORD.experiment.model_validate(experiment)})
    second = in_slices(2, 30).model_copy(update={"index": 2, "block": 2, "engine": None})
    (finding,) = found("rounds-left-out", record, [in_slices(7, 12), second])
    assert (finding.severity, finding.trial) == ("note", None)
    assert finding.evidence == snapshot
    assert found("rounds-left-out", RECORD, [a_trial().record()]) == []


def test_a_claim_whose_sides_were_not_up_together_says_so(snapshot: object) -> None:
    """In the second of two blocks each was measured by itself; older records had all of a block together."""
    record = an_experiment("a", "b", "c", blocks=2).claiming("a", "b", at_least=1).record()
    a, b, c = (condition.id for condition in record.conditions)

    def trials(*groups: tuple[int, list[str] | None, list[str]]) -> list[TrialRecord]:
        made = []
        for block, beside, conditions in groups:
            for condition in conditions:
                others = None if beside is None else [each for each in beside if each != condition]
                trial = in_slices(12, 12, beside=others)
                made.append(trial.model_copy(update={"index": len(made) + 1, "block": block, "condition": condition}))
        return made

    apart = trials((1, [a, b, c], [a, b, c]), (2, [a, c], [a, c]), (2, [b], [b]))
    (finding,) = found("measured-apart", record, apart)
    assert (finding.severity, finding.claim) == ("note", record.experiment.claims[0].id)
    assert finding.evidence == snapshot
    together = trials((1, [a, b], [a, b]), (1, [c], [c]), (2, None, [a, b, c]))
    assert found("measured-apart", record, together) == []
    experiment: Any = record.experiment.model_dump() | {"service": "none", "slices": {}}
    in_record = record.model_copy(update={"experiment": record.experiment.model_validate(experiment)})
    (kept,) = found("rounds-left-out", in_record, apart)
    assert kept.evidence == snapshot


def test_every_slice_has_edges_of_its_own() -> None:
    """Times that contradict the connections in one window do not in twelve, each of which cuts some off; beyond that
    they do."""
    short = a_trial().taking(0.9 * 16 / 4000)
    assert severities(found("littles-law", RECORD, [short.record()])) == ["refusal"]
    assert found("littles-law", RECORD, [in_slices(12, 12, short)]) == []
    far = a_trial().taking(0.5 * 16 / 4000)
    assert severities(found("littles-law", RECORD, [in_slices(12, 12, far)])) == ["refusal"]


def test_under_foreign_load_a_trial_at_one_go_is_refused_and_one_in_slices_warned_of(snapshot: object) -> None:
    """It is compared only with what was measured in turn with it; beside it, its figure says little."""
    loaded = a_trial().on_machine(own_server_cpu_seconds=0.1)
    assert severities(found("foreign-load", RECORD, [loaded.record()])) == ["refusal"]
    (finding,) = found("foreign-load", RECORD, [in_slices(12, 12, loaded)])
    assert finding.severity == "warning" and finding.evidence == snapshot
