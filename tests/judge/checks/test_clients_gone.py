"""Clients whose connects failed, and that did nothing more, are found by the time that they were at work."""

import pytest

from fairtrial.judge.checks.model import Finding
from tests.builders import TrialBuilder, a_trial, an_experiment
from tests.judge.checks.findings import found, in_trial, severities


def at_work_for(share: float) -> TrialBuilder:
    """Sixteen clients of which each asked for so much of the window of 3 s, and whose connects then failed.

    The longest answer took 20 times the mean: 0.02 s, which is 0.7% of the window.
    """
    return a_trial().serving(16_000 * share).taking(0.001).erring(connect=16)


@pytest.mark.parametrize(
    ("share", "expected"), [(0.99, []), (0.96, ["warning", "refusal"]), (0.93, ["refusal"]), (0.02, ["refusal"])]
)
def test_by_the_share_of_the_clients_time(share: float, expected: list[str]) -> None:
    assert severities(in_trial("clients-gone", at_work_for(share))) == expected


def test_both_rates_are_named(snapshot: object) -> None:
    (finding,) = in_trial("clients-gone", at_work_for(0.02))
    assert finding.evidence == snapshot


def test_over_http2_the_clients_are_streams(snapshot: object) -> None:
    experiment = an_experiment("a").but(connections=4, streams=4)
    (finding,) = in_trial("clients-gone", at_work_for(0.93), experiment)
    assert finding.evidence == snapshot
    assert in_trial("clients-gone", at_work_for(0.99), experiment) == []


def test_far_below_any_limit_for_errors() -> None:
    """As published: two errors beside 69,303 answers of 288.28 µs in 600 s, with two clients."""
    trial = a_trial().serving(115.505).but(window=600.0, connections=2).taking(288.28e-6).erring(connect=2)
    experiment = an_experiment("a").sweeping(2, 100).record()
    record = trial.record().model_copy(update={"condition": experiment.conditions[0].id})
    assert severities(found("errors", experiment, [record])) == ["warning"]
    (finding,) = found("clients-gone", experiment, [record])
    assert finding.severity == "refusal"
    assert "at work for 9.99 s" in finding.evidence and "6,938 while they were at work" in finding.evidence


def test_a_connect_that_failed_and_was_tried_again_is_left_alone() -> None:
    """Sixteen of 12,000: the clients went on, and their time is all there."""
    assert in_trial("clients-gone", a_trial().erring(connect=16)) == []


@pytest.mark.parametrize("errors", [{}, {"connect": 16, "timeout": 1}, {"reset": 16}])
def test_time_that_went_elsewhere_is_not_the_clients(errors: dict[str, int]) -> None:
    """Without failed connects `littles-law` judges; what a timeout took is not known."""
    assert in_trial("clients-gone", at_work_for(0.5).but(errors=errors)) == []


def test_tried_on_purpose_it_is_a_warning() -> None:
    experiment = an_experiment("a", "b").checking("clients-gone", refuse=1)
    findings: list[Finding] = in_trial("clients-gone", at_work_for(0.02), experiment)
    assert severities(findings) == ["warning", "refusal"] and "refuse is 1 here" in findings[0].evidence
    assert findings[1].takes("response_time_p50") and not findings[1].takes("goodput")
