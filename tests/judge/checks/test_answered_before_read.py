"""What was read along, as records have it: what refuses a trial, and what is said of the experiment."""

import pytest

from fairtrial.judge.checks.answered_before_read import FEW, SHARE, least_share_found
from fairtrial.judge.checks.model import Finding
from fairtrial.record.hold_audit import HoldAudit, Watch
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities


def findings(*watches: Watch | None) -> list[Finding]:
    trials = [
        a_trial().record().model_copy(update={"holds": HoldAudit(is_drawn=True, in_flight=16, watch=watch)})
        for watch in watches
    ]
    return found("answered-before-read", an_experiment("a").record(), trials)


def test_answers_before_their_rows_are_refused(snapshot: object) -> None:
    refusal, note = findings(Watch(seconds=0.1, answers=1_000, unread=11, later=9))
    assert severities([refusal, note]) == ["refusal", "note"]
    assert [refusal.evidence, note.evidence] == snapshot


def test_few_of_them_are_no_fault() -> None:
    (note,) = findings(Watch(seconds=0.1, answers=1_000, unread=10), Watch(seconds=0.1, answers=100, unread=2))
    assert note.severity == "note" and note.examined
    assert severities(findings(Watch(seconds=0.1, answers=100, unread=3))) == ["refusal", "note"]


def test_where_nothing_could_be_seen_the_result_says_so(snapshot: object) -> None:
    few, reason = Watch(seconds=1.0, answers=249), Watch(why_not="the lab may not read along on loopback")
    (note,) = findings(few, reason)
    assert not note.examined and note.evidence == snapshot
    assert findings(None) == [], "answers show no row, or an older record"


@pytest.mark.parametrize(("answers", "share"), [(250, 0.025), (1_000, 0.017), (2_000, 0.015)])
def test_the_share_of_answers_from_memory_that_is_found(answers: int, share: float) -> None:
    assert least_share_found(answers) == pytest.approx(share, abs=0.001)
    assert max(FEW, SHARE * answers) < share * answers
