from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, finding
from fairtrial.record.database import Settle, StateAudit
from fairtrial.record.proof import Audit

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


@check(
    "writes-stored",
    looks_at="the rows in the database after the trial, compared with the requests that were acknowledged",
    remedy="store each acknowledged request once, as it was sent",
)
def writes_stored(audit: Audit, settle: Settle | None) -> Iterator[Finding]:
    """Every acknowledged write must be stored once, as it was sent.

    A refusal for each kind of fault.
    """
    settled = ""
    if settle is not None:
        settled = f", audited after the database had settled for {settle.seconds:.1f} s"
        settled += "" if settle.at_rest else " and was still at work"
    for fault in audit.faults:
        yield finding(
            "refusal",
            f"{fault.count:,} rows {IN_WORDS[fault.kind]} ({audit.acknowledged:,} acknowledged, "
            f"{audit.stored:,} stored{settled}); such as {fault.example}",
            REMEDY[fault.kind],
        )


TOO_FEW = "answer only when what was asked for is stored, and store each request once"
UNDER_WAY = (
    "a request that was under way when the load ended, or that failed, may be stored or not: write "
    'between = ["{{acknowledged NAME}}", "{{sent NAME}}"] in place of `equals`'
)
NO_NUMBER = "mend `sql` or `command` of the audit: it answers with one whole number"


@check(
    "audit-failed",
    looks_at="what the audits of a workload file answered after the load, compared with the numbers of requests that "
    "were sent and acknowledged since the reset",
    remedy=TOO_FEW,
)
def audit_failed(own_audits: list[StateAudit]) -> Iterator[Finding]:
    """A database must hold as much as the audits of a workload file say.

    A refusal for each audit that does not hold, or could not be asked.
    """
    for audit in own_audits:
        if not audit.holds:
            yield finding("refusal", _evidence(audit), _remedy(audit))


def _evidence(audit: StateAudit) -> str:
    right = _in_words(audit.lowest, audit.lowest_is)
    if audit.highest_is != audit.lowest_is:
        right = f"between {right} and {_in_words(audit.highest, audit.highest_is)}"
    if audit.value is None:
        return f"{audit.name}: could not be asked: {audit.problem}; it has to be {right}"
    off = audit.lowest - audit.value if audit.value < audit.lowest else audit.value - audit.highest
    return f"{audit.name}: {audit.value:,}, not {right}: {off:,} too {'few' if audit.value < audit.lowest else 'many'}"


def _in_words(bound: int, source: str) -> str:
    return f"{bound:,}" if source == str(bound) else f"{bound:,} {source}"


def _remedy(audit: StateAudit) -> str:
    if audit.value is None:
        return NO_NUMBER
    is_one_number = audit.lowest_is == audit.highest_is and "acknowledged" in audit.highest_is
    return UNDER_WAY if audit.value > audit.highest and is_one_number else TOO_FEW


@check(
    "dataset-altered",
    looks_at="the database after the trial, compared with what it was before: rows, and whatever outlives a session",
    remedy="open the database read-only in workloads that only read; change no index, setting, user or function",
)
def dataset_altered(dataset_altered: bool, altered: str) -> Iterator[Finding]:
    """A trial must leave the database as it was, but for the rows that its workload writes.

    A refusal.
    """
    if dataset_altered:
        what = f": {altered}" if altered else ""
        yield finding("refusal", f"the database after the trial differs from what it was before{what}")
