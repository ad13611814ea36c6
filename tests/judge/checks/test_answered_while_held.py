"""Holds as records have them: what refuses a trial, what warns, and what is said of the experiment."""

from fairtrial.judge.checks.model import Finding
from fairtrial.record.hold_audit import Hold, HoldAudit
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities


def audit(*answers: int, at_its_pace: float = 192.0) -> HoldAudit:
    holds = [Hold(after_seconds=1.5, seconds=0.08, answers=each, at_its_pace=at_its_pace) for each in answers]
    return HoldAudit(is_drawn=True, in_flight=16, holds=holds)


def findings(*audits: HoldAudit | None) -> list[Finding]:
    trials: list[TrialRecord] = [a_trial().record().model_copy(update={"holds": each}) for each in audits]
    return found("answered-while-held", an_experiment("a").record(), trials)


def test_more_answers_than_honest_servers_can_have_are_refused(snapshot: object) -> None:
    refusal, note = findings(audit(3, 49, 16))
    assert severities([refusal, note]) == ["refusal", "note"]
    assert refusal.evidence == snapshot


def test_replies_in_buffers_rows_read_ahead_and_reads_of_others_are_no_fault(snapshot: object) -> None:
    (note,) = findings(audit(0, 48, 16), HoldAudit(is_drawn=False))
    assert note.severity == "note" and note.examined
    assert note.evidence == snapshot


def test_where_nothing_could_be_seen_the_result_says_so(snapshot: object) -> None:
    (few,) = findings(audit(0, 0, 0, at_its_pace=95.0))
    (reason,) = findings(HoldAudit(is_drawn=False, why_not="the load comes from another host, with another clock"))
    warning, _ = findings(HoldAudit(is_drawn=True, why_not="the stack did not start"))
    assert [few.examined, reason.examined, warning.examined] == [False] * 3
    assert severities([few, reason, warning]) == ["note", "note", "warning"]
    assert [few.evidence, reason.evidence, warning.evidence] == snapshot
    assert findings(None) == [], "nothing to wait for, or an older record"
