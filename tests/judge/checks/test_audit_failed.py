"""Audits of a workload file, on records: each that does not hold refuses, and those at their bounds are silent."""

import pytest

from fairtrial.judge.checks.database import NO_NUMBER, TOO_FEW, UNDER_WAY
from fairtrial.judge.checks.model import Finding
from fairtrial.record.database import StateAudit
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found

ACKNOWLEDGED, SENT = "{{acknowledged order}}", "{{sent order}}"


def audited(value: int | None, highest: int = 10_004, highest_is: str = SENT, problem: str = "") -> list[Finding]:
    """The findings about a trial in which 10,000 orders were acknowledged."""
    audit = StateAudit(
        name="orders-stored",
        value=value,
        problem=problem,
        lowest=10_000,
        highest=highest,
        lowest_is=ACKNOWLEDGED,
        highest_is=highest_is,
    )
    trial = a_trial().record().model_copy(update={"own_audits": [audit]})
    return found("audit-failed", an_experiment("a").record(), [trial])


@pytest.mark.parametrize("value", [10_000, 10_003, 10_004])
def test_what_was_under_way_at_the_end_may_be_stored_or_not(value: int) -> None:
    assert audited(value) == []


def test_one_order_that_is_not_stored_refuses_the_trial_with_both_figures(snapshot: object) -> None:
    (finding,) = audited(9_999)
    assert (finding.severity, finding.remedy) == ("refusal", TOO_FEW)
    assert finding.evidence == snapshot


def test_one_order_that_nobody_sent_refuses_the_trial() -> None:
    (finding,) = audited(10_005)
    assert finding.severity == "refusal" and finding.evidence.endswith(": 1 too many")


def test_more_than_was_acknowledged_may_be_the_fault_of_the_audit(snapshot: object) -> None:
    (finding,) = audited(10_002, highest=10_000, highest_is=ACKNOWLEDGED)
    assert finding.evidence == snapshot
    assert finding.remedy == UNDER_WAY
    assert audited(10_000, highest=10_000, highest_is=ACKNOWLEDGED) == []


def test_an_audit_that_could_not_be_asked_refuses_the_trial(snapshot: object) -> None:
    (finding,) = audited(None, problem="SQLite refused: no such table: orders")
    assert finding.severity == "refusal" and finding.evidence == snapshot
    assert finding.remedy == NO_NUMBER
