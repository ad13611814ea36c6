"""Every acknowledged write must be stored once, as it was sent."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding
from fairtrial.record.model import TrialRecord

IN_WORDS = {
    "missing": "acknowledged and not stored",
    "doubled": "stored more than once",
    "altered": "not stored as sent",
    "unasked": "stored without a request",
}
REMEDY = {
    "missing": "answer only when the database has committed",
    "doubled": "insert once for each request; mind retries and batches that overlap",
    "altered": "store what was sent, an object as JSON and neither as text nor as null; update as often as asked",
    "unasked": "store what was sent, where it was sent to; roll back what has to be rolled back",
}


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each kind of fault."""
    for trial in case.trials:
        if trial.audit is None:
            continue
        settled = "" if trial.settle is None else f", audited after the database had settled for {_settled(trial)}"
        for fault in trial.audit.faults:
            yield case.finding(
                trial.index,
                "refusal",
                f"{fault.count:,} rows {IN_WORDS[fault.kind]} ({trial.audit.acknowledged:,} acknowledged, "
                f"{trial.audit.stored:,} stored{settled}); such as {fault.example}",
                REMEDY[fault.kind],
            )


def _settled(trial: TrialRecord) -> str:
    assert trial.settle is not None
    return f"{trial.settle.seconds:.1f} s" + ("" if trial.settle.at_rest else " and was still at work")


CHECK = Check(
    name="writes-stored",
    looks_at="the rows in the database after the trial, compared with the requests that were acknowledged",
    thresholds={},
    remedy="store each acknowledged request once, as it was sent",
    examine=examine,
)
