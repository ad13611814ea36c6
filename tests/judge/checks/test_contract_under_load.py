"""Requests of the contract among those of the load, as records have them."""

from fairtrial.judge.checks.model import Finding
from fairtrial.record.engine_summary import SpotCheckOutcome
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found

RIGHT = SpotCheckOutcome(
    name="uuid-row", sent_seconds=1.5, seconds=0.002, error=None, status=200, excerpt="", reason=None
)
UNKNOWN = RIGHT.model_copy(update={"name": "uuid-unknown", "status": 404})


def failed(error: str, status: int | None, excerpt: str = "", reason: str | None = None) -> SpotCheckOutcome:
    return RIGHT.model_copy(update={"error": error, "status": status, "excerpt": excerpt, "reason": reason})


def findings(*spot_checks: SpotCheckOutcome, errors: dict[str, int] | None = None) -> list[Finding]:
    trial = a_trial().record()
    assert trial.engine is not None
    engine = trial.engine.model_copy(update={"spot_checks": list(spot_checks), "errors": errors or trial.engine.errors})
    return found("contract-under-load", an_experiment("a").record(), [trial.model_copy(update={"engine": engine})])


def test_right_answers_are_a_note_that_counts_them() -> None:
    (note,) = findings(RIGHT, RIGHT, UNKNOWN)
    assert note.severity == "note"
    assert note.evidence.endswith("under the load: uuid-row 2, uuid-unknown 1")
    assert findings() == [], "an older record, or a load whose length is not known"


def test_one_wrong_answer_is_a_refusal_that_shows_it(snapshot: object) -> None:
    (refusal,) = findings(RIGHT, failed("wrong_body", 200, '{"id":7}\x1b[31m', "/id is 7, not 8"), UNKNOWN)
    assert refusal.severity == "refusal"
    assert refusal.evidence == snapshot
    assert "\x1b" not in refusal.evidence
    (refusal,) = findings(failed("status_2xx", 200))
    assert "status_2xx: status 200, no body" in refusal.evidence


def test_who_is_too_busy_for_the_load_may_be_too_busy_for_these(snapshot: object) -> None:
    busy = [failed("timeout", None), failed("status_5xx", 503, "busy"), failed("status_4xx", 429)]
    (note,) = findings(RIGHT, *busy, errors={"timeout": 40})
    assert note.severity == "note" and note.evidence == snapshot
    (refusal,) = findings(RIGHT, *busy)
    assert refusal.severity == "refusal" and "3 of 4 requests" in refusal.evidence
    (refusal,) = findings(failed("status_4xx", 404), errors={"timeout": 40})
    assert refusal.severity == "refusal"
