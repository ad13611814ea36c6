"""A p50 that is mostly the load engine's own: at its boundaries, and where a claim compares such."""

from typing import Any

import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.load.open import OpenLoad
from fairtrial.record.calibration import Calibration
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ExperimentRecord
from tests.builders import ExperimentBuilder, a_trial, an_experiment, calm_machine, times, trials_of
from tests.judge.checks.findings import found, severities

FLOOR_SECONDS = 40e-6
"""The p50 of one request after the other, from a server that does nothing."""


def calibration(**changes: Any) -> Calibration:
    """A calibration of the builders' load."""
    return Calibration(
        connections=16,
        keep_alive=True,
        ceiling_per_second=100_000,
        mean_per_second=95_000,
        window_seconds=1.0,
        engine_cpu_seconds_per_request=1e-5,
        busiest_thread_share=0.9,
        machine=calm_machine(1.0),
        floor=times(10_000, FLOOR_SECONDS),
    ).model_copy(update=changes)


def judged(experiment: ExperimentBuilder, p50_seconds: dict[str, float], **changes: Any) -> list[Finding]:
    """What is found where each stack has this p50."""
    record = experiment.record().model_copy(update={"calibrations": [calibration(**changes)]})
    trials = trials_of(record, lambda contender, _block: a_trial().serving(1000).taking(p50_seconds[contender]))
    return found("latency-at-the-floor", record, trials)


def of_one(floors: float, **changes: Any) -> list[str]:
    """How grave it is if the p50 of one trial is so many floors."""
    return severities(judged(an_experiment("a", blocks=1), {"a": floors * FLOOR_SECONDS}, **changes))


@pytest.mark.parametrize(("floors", "expected"), [(2.01, []), (1.99, ["warning"]), (1.0, ["warning"])])
def test_from_half_on_a_reader_is_warned(floors: float, expected: list[str]) -> None:
    assert of_one(floors) == expected


def test_the_evidence_has_both_figures(snapshot: object) -> None:
    (finding,) = judged(an_experiment("a", blocks=1), {"a": 50e-6})
    assert finding.evidence == snapshot


@pytest.mark.parametrize(
    "changes", [{"connections": 64}, {"keep_alive": False}, {"threads": 2}, {"wait": "awake"}, {"floor": None}]
)
def test_the_floor_of_another_load_is_none(changes: dict[str, Any]) -> None:
    assert of_one(1.0, **changes) == []


def comparing(metric: str, a: float, b: float, **changes: Any) -> list[str]:
    """How grave the findings about a claim are that compares a with b, whose p50 are so many floors."""
    claiming = an_experiment("a", "b").claiming("b", "a", metric=metric, at_least=2)
    findings = judged(claiming, {"a": a * FLOOR_SECONDS, "b": b * FLOOR_SECONDS}, **changes)
    return severities([finding for finding in findings if finding.claim is not None])


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1.05, 1.9, ["refusal"]),
        (1.1, 1.1, ["refusal"]),
        (1.12, 1.12, []),  # near it, and neither is at it
        (1.05, 2.1, []),  # the ratio is pulled towards 1, which the warnings say
    ],
)
def test_a_claim_that_compares_medians_at_the_floor_has_no_verdict(a: float, b: float, expected: list[str]) -> None:
    assert comparing("response_time_p50", a, b) == expected


def test_a_claim_on_another_figure_is_left_alone() -> None:
    assert comparing("service_time_p50", 1.05, 1.9) == ["refusal"]
    assert comparing("response_time_p99", 1.05, 1.9) == []
    assert comparing("goodput", 1.05, 1.9) == []


def test_a_budget_is_kept_whoever_took_the_time() -> None:
    budget = an_experiment("a").stating("budget", of="a", metric="response_time_p50", at_most="50 ms")
    assert [finding.claim for finding in judged(budget, {"a": FLOOR_SECONDS})] == [None] * 5


def foreign() -> MachineMeter:
    """Somebody else took a fifth of a processor."""
    return calm_machine(1.0).model_copy(update={"own_server_cpu_seconds": 0.75})


@pytest.mark.parametrize(("a", "changes"), [(1.05, {"machine": foreign()}), (0.85, {}), (1.05, {"machine": None})])
def test_a_floor_that_may_lie_lower_refuses_nobody(a: float, changes: dict[str, Any]) -> None:
    assert comparing("response_time_p50", a, 1.9, **changes) == []
    (finding,) = judged(an_experiment("a", blocks=1), {"a": a * FLOOR_SECONDS}, **changes)
    assert finding.severity == "warning"
    assert "may lie lower" in finding.evidence


def test_an_open_load_is_held_against_its_own_rate() -> None:
    """At 1,000 a second the engine measures 90 µs of a server that does nothing, one request after the other 40 µs."""
    load = OpenLoad(kind="open", rate_per_second=1000)
    at_rate = calibration(connections=load.connections, rate_per_second=1000.0, floor_at_rate=times(1000, 90e-6))
    record = an_experiment("a", blocks=1).record()

    def on(calibrated: Calibration, p50_seconds: float) -> list[Finding]:
        changed: ExperimentRecord = record.model_copy(
            update={
                "conditions": [each.model_copy(update={"load": load}) for each in record.conditions],
                "calibrations": [calibrated],
            }
        )
        trial = a_trial().serving(1000).taking(p50_seconds).record()
        return found("latency-at-the-floor", changed, [trial])

    (finding,) = on(at_rate, 150e-6)
    assert "0.090 ms at the same rate: 60%" in finding.evidence
    assert on(at_rate, 190e-6) == []
    assert on(at_rate.model_copy(update={"rate_per_second": 2000.0}), 150e-6) == []
    too_few = at_rate.model_copy(update={"floor_at_rate": times(10, 90e-6)})
    assert on(too_few, 150e-6) == []
    assert "with a single connection" in on(too_few, 75e-6)[0].evidence


def test_records_from_before_the_floor_was_measured_are_left_alone() -> None:
    record = an_experiment("a").record()
    assert found("latency-at-the-floor", record, trials_of(record, a_trial().taking(1e-6))) == []
