"""The crash audit as records have it: what refuses a trial, what warns, and what is said of the experiment."""

from fairtrial.judge.checks.model import Finding
from fairtrial.record.database import CrashAudit, Durability
from fairtrial.record.model import TrialRecord
from fairtrial.record.proof import Audit, WriteFault
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities

KEPT = CrashAudit(
    drawn=True, killed_after_seconds=1.25, down_seconds=0.2, audit_seconds=0.1, acknowledged=6_100, stored=6_103
)
LOST = KEPT.model_copy(update={"stored": 5_700, "lost": 403, "example": "survey s14 of user 17"})
NOT_DRAWN = CrashAudit(drawn=False)


def trial(crash: CrashAudit | None, durability: Durability | None = None) -> TrialRecord:
    return a_trial().record().model_copy(update={"crash": crash, "durability": durability})


def findings(*trials: TrialRecord) -> list[Finding]:
    return found("lost-in-crash", an_experiment("a").record(), trials)


def test_a_trial_whose_acknowledged_writes_were_lost_is_refused() -> None:
    refusal, note = findings(trial(LOST))
    assert refusal.severity == "refusal"
    assert "403 of 6,100 acknowledged writes were gone" in refusal.evidence
    assert "1.25 s into a load" in refusal.evidence
    assert "survey s14 of user 17" in refusal.evidence
    assert "the database tells no cause" in refusal.evidence
    assert "synchronous_commit = off" in refusal.evidence
    assert note.trial is None and note.severity == "note"


def test_a_cause_that_the_database_tells_is_named(snapshot: object) -> None:
    told = Durability(promised=True, changed={"fsync": "on, now off"}, relaxed=["table surveys is unlogged"])
    refusal, _ = findings(trial(LOST, told))
    assert refusal.evidence == snapshot
    assert "tells no cause" not in refusal.evidence


def test_what_was_missing_without_a_crash_is_not_put_down_to_it() -> None:
    """It is refused by another check, whose remedy fits."""
    missing = WriteFault(kind="missing", count=30, example="user 1")
    altered = missing.model_copy(update={"kind": "altered"})
    told = [
        severities(
            findings(trial(LOST).model_copy(update={"audit": Audit(acknowledged=60, stored=30, faults=[fault])}))
        )
        for fault in (missing, altered)
    ]
    assert told == [["note"], ["refusal", "note"]]


def test_what_is_stored_beyond_the_acknowledged_is_no_fault(snapshot: object) -> None:
    (note,) = findings(trial(KEPT), trial(NOT_DRAWN), trial(NOT_DRAWN))
    assert (note.severity, note.trial) == ("note", None)
    assert note.evidence == snapshot


def test_a_power_cut_is_told_and_so_are_trials_without_one(snapshot: object) -> None:
    cut = KEPT.model_copy(update={"power_cut": True})
    without = KEPT.model_copy(update={"why_no_power_cut": "not durable: the last second is lost"})
    (note,) = findings(trial(cut), trial(cut))
    assert note.evidence == snapshot
    (note,) = findings(trial(without))
    assert note.evidence == snapshot
    (note,) = findings(trial(cut), trial(without))
    assert note.evidence == snapshot


def test_what_a_power_cut_took_is_refused_with_its_causes(snapshot: object) -> None:
    refusal, _ = findings(trial(LOST.model_copy(update={"power_cut": True})))
    assert refusal.severity == "refusal"
    assert refusal.evidence == snapshot


def test_a_crash_audit_that_came_to_nothing_is_a_warning(snapshot: object) -> None:
    """Who refuses to serve a second time is not proven by it."""
    refused = CrashAudit(drawn=True, why_not="the stack did not start")
    idle = KEPT.model_copy(update={"acknowledged": 0, "stored": 0})
    first, second, note = findings(trial(refused), trial(idle))
    assert severities([first, second]) == ["warning", "warning"]
    assert first.evidence == snapshot
    assert "nothing had been acknowledged" in second.evidence
    assert "tried in 1 of 2 trials" in note.evidence


def test_where_it_cannot_be_tried_the_result_says_so_once(snapshot: object) -> None:
    relaxed = CrashAudit(drawn=False, why_not="not durable: snapshots only")
    (note,) = findings(trial(relaxed), trial(relaxed))
    assert note.evidence == snapshot
    assert findings(trial(None)) == [], "a workload that only reads, or an older record"
