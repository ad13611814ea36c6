"""Checks of a database: what it stored and flushed, lost in a crash, did for itself, and was not asked for."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import expm1, log1p, sqrt

from fairtrial.base.formatting import count, figure
from fairtrial.experiment.value import Value
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.record.database import CrashAudit, Durability, Maintenance, Settle, StateAudit
from fairtrial.record.model import TrialRecord
from fairtrial.record.proof import Audit, KeysRead, Ledger

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


@check(
    "commits-not-flushed",
    looks_at="the database's settings in force and its flushes of the log, read when the stack has ended, compared "
    "with those at its start and with the commits",
    remedy="leave durability as the server was started: no synchronous_commit of a role, a session or the URL; "
    'to measure relaxed commits, choose `variant = "relaxed"` for all',
    commits=Threshold(
        200.0,
        "writing commits",
        "beyond one of each connection with each flush: a connection waits for its commit before it sends the next, so "
        "that a flush releases no more; the database's own housekeeping takes some without one",
    ),
)
def commits_not_flushed(
    durability: Durability, database_connections: int | None, trial: TrialRecord, *, commits: float
) -> Iterator[Finding]:
    """Commits that were acknowledged before they were on the disk, although the server was started to flush each.

    A refusal for settings that were relaxed since, and for more commits than the flushes can release.
    """
    if not durability.promised:
        return
    reasons = [f"{name} was {change}" for name, change in sorted(durability.changed.items())]
    reasons += durability.relaxed
    logged = None if trial.ledger is None else trial.ledger.done.get("writing_commits")
    reasons += _unreleased(durability, database_connections, logged, commits)
    if reasons:
        yield finding("refusal", "; ".join(reasons))


def _unreleased(durability: Durability, sessions: int | None, logged: int | None, beyond: float) -> list[str]:
    """The excess over the bound, in words; empty if it holds or is not known.

    Args:
        logged: commits of the load in the database's log; None: they are known by the numbers of transactions alone, of
            which a savepoint takes another one.
    """
    commits, flushes = durability.commits, durability.flushes
    if commits is None or flushes is None or not sessions:
        return []
    commits, of_each = (commits, 2) if logged is None else (min(commits, logged), 1)
    if commits <= beyond + of_each * sessions * flushes:
        return []
    each = f", {commits / flushes:,.0f} with each" if flushes else ""
    return [
        f"{commits:,} writing commits with {flushes:,} flushes of the log{each}: {sessions} connections can wait for "
        f"{sessions} commits at once, no more"
    ]


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
            yield finding("refusal", _loss_in_words(trial, crash), trial=trial.index)
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


def _loss_in_words(trial: TrialRecord, crash: CrashAudit) -> str:
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


ARTICLES = {"analysis": "an"}

Group = tuple[str, Value | None]
"""A service and a value of the sweep: what trials that are compared with each other have in common."""


@check(
    "database-maintenance",
    looks_at="checkpoints, flushed pages, vacuum, analyses of tables and snapshots of the database in each window, by "
    "its own counters, compared with the other windows on the same service",
    remedy="lengthen the windows, so that each holds some; or have the database do it at another time, by its settings "
    "(checkpoint_timeout, autovacuum, innodb_io_capacity, save); and take more blocks, whose median such windows "
    "do not move",
    pages_per_second=Threshold(
        200,
        "pages a second",
        "InnoDB's own measure of what flushing in the background takes (innodb_io_capacity, 200 by default); what "
        "goes beyond it is flushed because it has to be",
    ),
)
def database_maintenance(case: Case, *, pages_per_second: float) -> Iterator[Finding]:
    """Windows in which the database did work of its own that it did not do in the others they are compared with.

    A warning for each trial that differs from most others: by what its window held, or lacked. A note on the experiment
    where a service did not tell.
    """
    groups: dict[Group, list[TrialRecord]] = defaultdict(list)
    for trial in case.trials:
        for service in trial.maintenance:
            groups[service, case.condition_of(trial).at].append(trial)
    for service in dict.fromkeys(service for service, _ in groups):
        readings = [trial.maintenance[service] for trial in case.trials if service in trial.maintenance]
        if not any(each.counted for each in readings):
            yield finding(
                "note",
                f"not examined: {service} did not tell what it did for itself, such as checkpoints and vacuum",
                "let the login of its URL read the server's status",
                examined=False,
            )
    for (service, _), trials in groups.items():
        yield from _of_group(
            service, [trial for trial in trials if trial.maintenance[service].counted], pages_per_second
        )


def _of_group(service: str, trials: list[TrialRecord], pages_per_second: float) -> Iterator[Finding]:
    """For each kind of work, the trials with it or those without it, whichever are fewer."""
    work = {trial.index: work_held(trial.maintenance[service], pages_per_second) for trial in trials}
    for kind in dict.fromkeys(kind for kinds in work.values() for kind in kinds):
        holding = [index for index, kinds in work.items() if kind in kinds]
        lacking = [index for index in work if index not in holding]
        fewer = holding if len(holding) <= len(lacking) else lacking
        for index in fewer:
            if fewer is holding:
                what = f"{ARTICLES.get(kind, 'a')} {kind} of {service} ({work[index][kind]})"
                beside = f"{len(lacking)} of {len(trials)} windows did not"
            else:
                what, beside = f"no {kind} of {service}", f"{len(holding)} of {len(trials)} windows did"
            evidence = f"its window held {what}, and {beside}: part of the difference between them is that"
            yield finding("warning", evidence, trial=index)


def work_held(maintenance: Maintenance, pages_per_second: float) -> dict[str, str]:
    """The work that a service did for itself in a window, by kind, in words."""
    counted, running, work = maintenance.counted, maintenance.running, dict[str, str]()
    checkpoints, pages = counted.get("checkpoints"), counted.get("pages")
    rate = (pages or 0) / max(maintenance.seconds, 1e-9)
    waits = counted.get("waits_for_pages", 0)
    many = rate >= pages_per_second
    if checkpoints is None and (many or waits):
        work["flush"] = f"{figure(rate)} pages a second" + (
            f", {count(waits, 'wait')} for a free page" if waits else ""
        )
    # A checkpoint that was due, with nothing to write, is counted as well.
    elif checkpoints is not None and (many or "checkpoint" in running or (checkpoints and pages != 0)):
        flushes = "" if pages is None else f", {count(pages, 'page')} written"
        work["checkpoint"] = f"{checkpoints} begun{flushes}"
    for kind, counter in (("vacuum", "vacuums"), ("analysis", "analyses"), ("snapshot", "snapshots")):
        runs = counted.get(counter, 0)
        if runs or kind in running:
            work[kind] = f"{runs} counted" if runs else "under way"
    return work


CHANGED_KEYS = 13
"""The lab changes so many keys of a small table, and sets them back, during the load and after it."""
SMALL_TABLES_SHARE = 0.1
"""Room for them in a table of any size."""


@check(
    "keys-unread",
    looks_at="keys that were drawn and marked as unread before the load: how many the store says were read since, "
    "compared with how many keys that many answers are about",
    remedy="read the key that is asked for, in the store, for each request",
    share=Threshold(
        0.02,
        "share of the keys that are expected",
        "keys that the lab changes and sets back count as unread in memcached: a hundredth of the rows",
    ),
    deviations=Threshold(
        5.0,
        "standard deviations",
        "which keys are asked for is drawn: of a binomial count, one in 3.5 million is lower",
    ),
)
def keys_unread(keys_read: KeysRead, ledger: Ledger, *, share: float, deviations: float) -> Iterator[Finding]:
    """Keys that the load asked for and the store was never asked for: hits paid with other keys.

    A refusal.
    """
    rows, marked = keys_read.rows, keys_read.marked
    if ledger.verified == 0 or rows < 1:
        return
    # Of n answers, each about one of so many rows, none is about a given row with probability (1 - 1/rows)^n.
    probability = 1.0 if rows == 1 else -expm1(ledger.verified * log1p(-1 / rows))
    expected = marked * probability
    scatter = sqrt(marked * probability * (1 - probability))
    room = max(share, min(CHANGED_KEYS / rows, SMALL_TABLES_SHARE))
    if keys_read.read < expected * (1 - room) - deviations * scatter:
        yield finding(
            "refusal",
            f"{keys_read.read:,} of {marked:,} drawn keys of {keys_read.table} were read, and {ledger.verified:,} "
            f"verified answers about keys drawn from {rows:,} imply {expected:,.0f}",
        )
