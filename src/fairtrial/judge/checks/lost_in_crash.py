from collections.abc import Iterator, Sequence

from fairtrial.base.formatting import count
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, finding, nothing_to_do
from fairtrial.record.database import CrashAudit, Durability
from fairtrial.record.model import TrialRecord

NO_POWER_CUT = "a power cut was not tried"
CAUSES = (
    "it was answered before its commit had returned, or the commit returned before the log was written "
    "(synchronous_commit = off, for a session or in the URL; innodb_flush_log_at_trx_commit = 0; a write concern of 0)"
)
NOT_SYNCED = " or synced (fsync = off, innodb_flush_log_at_trx_commit = 2, appendfsync everysec)"
BY_SETTINGS = nothing_to_do(
    "what is lost in a power cut alone (fsync = off, innodb_flush_log_at_trx_commit = 2) is found by settings and "
    "flushes, if by anything; one audit in four is a power cut, where `fairtrial doctor` says that it can be"
)
BY_TRIAL = nothing_to_do("it was tried on a file system of its own, under a load that looked like any other")
TRY_IT = 'let it be tried: crash_audit = "some", on a private service whose commits are on the disk when answered'
NOT_BEFORE = "store what a request asks for when it has come, not before"
LOOK_AT_LOG = (
    "see the log of the crash audit in the results folder; a stack has to start again, as it did for its trial"
)


@check(
    "lost-in-crash",
    looks_at="the rows in a private database that was killed (SIGKILL) under load, where possible with a power cut, "
    "and started again on the same files, compared with the requests that were acknowledged",
    remedy="answer only when the commit has returned, and leave it synchronous; to measure relaxed commits, choose "
    '`variant = "relaxed"` for all',
)
def lost_in_crash(case: Case) -> Iterator[Finding]:
    """Acknowledged writes that were gone when the database had been killed and started again.

    A refusal for each trial whose writes were lost, a warning where it could not be tried; one note about all.
    """
    trials = [(trial, trial.crash) for trial in case.trials if trial.crash is not None]
    for trial, crash in trials:
        if crash.lost and not _missing_anyway(trial):
            yield finding("refusal", _evidence(trial, crash), trial=trial.index)
        elif crash.unasked and not _missing_anyway(trial, "unasked"):
            yield finding("refusal", _unasked(crash), NOT_BEFORE, trial=trial.index)
        elif crash.drawn and not crash.was_tried:
            yield finding("warning", f"not examined: {crash.why_not}", LOOK_AT_LOG, examined=False, trial=trial.index)
        elif crash.was_tried and not crash.acknowledged:
            evidence = "not examined: nothing had been acknowledged when the database was killed"
            yield finding("warning", evidence, LOOK_AT_LOG, examined=False, trial=trial.index)
    if trials:
        yield _summary([crash for _, crash in trials])


def _missing_anyway(trial: TrialRecord, kind: str = "missing") -> bool:
    """Whether rows were missing, or unasked for, without a crash as well, which `writes-stored` tells."""
    return trial.audit is not None and any(fault.kind == kind for fault in trial.audit.faults)


def _unasked(crash: CrashAudit) -> str:
    return (
        f"{crash.unasked:,} rows were stored that nobody had asked for when the database was killed (SIGKILL) "
        f"{crash.killed_after_seconds or 0:.2f} s into a load; such as {crash.example}"
    )


def _evidence(trial: TrialRecord, crash: CrashAudit) -> str:
    how = "killed (SIGKILL), and its disk had lost what was not synced," if crash.power_cut else "killed (SIGKILL)"
    return (
        f"{crash.lost:,} of {crash.acknowledged:,} acknowledged writes were gone when the database had been {how} "
        f"{crash.killed_after_seconds or 0:.2f} s into a load and started again on the same files; such as "
        f"{crash.example}; {_cause(trial.durability, crash)}"
    )


def _cause(durability: Durability | None, crash: CrashAudit) -> str:
    reasons = (
        [] if durability is None else [f"{name} was {change}" for name, change in sorted(durability.changed.items())]
    )
    reasons += [] if durability is None else durability.relaxed
    if reasons:
        return f"of the cause the database tells: {'; '.join(reasons)}"
    return f"the database tells no cause: {CAUSES}{NOT_SYNCED if crash.power_cut else ''}"


def _summary(crashes: Sequence[CrashAudit]) -> Finding:
    audits = [crash for crash in crashes if crash.was_tried]
    reasons = "; ".join(dict.fromkeys(crash.why_not for crash in crashes if crash.why_not))
    of = count(len(crashes), "trial")
    if not audits:
        return finding(
            "note",
            f"not examined in {of}: {reasons or 'none was drawn'}; {NO_POWER_CUT}",
            TRY_IT,
            examined=False,
        )
    looked = sum(crash.acknowledged for crash in audits)
    return finding(
        "note",
        f"crash audit tried in {len(audits)} of {of}: the database was killed under a load of its own, and "
        f"{count(looked, 'acknowledged write')} looked for when it had started again on the same files"
        + (f"; in others not examined: {reasons}" if reasons else "")
        + f"; {_power(audits)}",
        BY_TRIAL if all(crash.power_cut for crash in audits) else BY_SETTINGS,
    )


def _power(audits: Sequence[CrashAudit]) -> str:
    cut = sum(crash.power_cut for crash in audits)
    if cut == len(audits):
        return "its disk then lost what had not been synced, as in a power cut"
    reasons = "; ".join(dict.fromkeys(crash.why_no_power_cut for crash in audits if crash.why_no_power_cut))
    exception = f"{NO_POWER_CUT}: {reasons}" if reasons else NO_POWER_CUT
    return f"in {cut} of them its disk lost what had not been synced; in others {exception}" if cut else exception
