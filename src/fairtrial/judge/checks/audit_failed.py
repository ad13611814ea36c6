"""A database must hold as much as the audits of a workload file say."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding
from fairtrial.record.state_audit import StateAudit

TOO_FEW = "answer only when what was asked for is stored, and store each request once"
UNDER_WAY = (
    "a request that was under way when the load ended, or that failed, may be stored or not: write "
    'between = ["{{acknowledged NAME}}", "{{sent NAME}}"] in place of `equals`'
)
NO_NUMBER = "mend `sql` or `command` of the audit: it answers with one whole number"


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each audit that does not hold, or could not be asked."""
    for trial in case.trials:
        for audit in trial.own_audits:
            if not audit.holds:
                yield case.finding(trial.index, "refusal", _evidence(audit), _remedy(audit))


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


CHECK = Check(
    name="audit-failed",
    looks_at="what the audits of a workload file answered after the load, compared with the numbers of requests that "
    "were sent and acknowledged since the reset",
    thresholds={},
    remedy=TOO_FEW,
    examine=examine,
)
