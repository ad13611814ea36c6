"""Work that the database counted, or did at other times than in the window, and answers from memory."""

import math
from collections.abc import Collection, Iterator, Mapping

from fairtrial.base.formatting import figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.record.database import Settle
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord
from fairtrial.record.proof import Freshness, ImpliedWork, Ledger, RowChangesSeen, WindowWork

NOUNS = {
    "statements": "statements of all kinds",
    "reads": "reading statements",
    "table_reads": "reading statements that looked at a table",
    "table_transactions": "transactions that looked at a table",
    "rows_read": "rows read",
    "writes": "writing statements",
    "rows_written": "rows written",
    "commits": "commits",
    "writing_commits": "commits that wrote",
    "statement_milliseconds": "milliseconds within statements",
    "bytes_sent": "bytes sent by the store",
    "computations": "computations",
    "calls": "answered calls",
    "tasks": "gathered tasks",
    "threads": "kernel threads",
    "background_commits": "commits of the lab's own job",
    "steps": "proven steps of the token",
    "voluntary_switches": "voluntary switches of kernel threads",
}

SHARE = 0.02
"""This share of the implied work may be missing where counters lag or clocks differ."""

WORK_UNKNOWN = "the record does not say what work an answer implies: it was written by an earlier version of Fairtrial"

LATE_ELSEWHERE = {"commits"}
"""Counted late while sessions are open. The lab ends those on its own server; elsewhere, a pool of somebody else's may
keep them open."""

EXACT = {"calls", "tasks", "steps", "background_commits"}
"""Counted by the lab itself after the stack has ended: nothing is in flight, no counter lags behind."""

TIMES = {"statement_milliseconds"}
"""Measured by a clock of the database's own, which is not the one by which it slept."""

HANDED_IN_WITHIN_SECONDS = 3.0
"""A session of PostgreSQL hands in what it counted by table as soon as it is idle and has not done so for a second
(PGSTAT_MIN_INTERVAL in pgstat.c). Three are room for one that has to try again."""

READS = {"reads", "table_reads", "table_transactions", "bytes_sent"}
STATEMENTS = {"reads", "table_reads", "table_transactions", "writes", "commits", "writing_commits"}
"""Requests may share this work while each still has its rows; in some workloads only."""

SHARED = (
    "send a statement, and commit it, for each request: requests may share them in the workload several-items, and in "
    'survey-insert with `mode = "batched"` in [options]'
)
CACHED = (
    "do the work for each request: keep no answers, rows or results between requests, however they are kept fresh. A "
    "cache is tried by the workload page, or by a workload file of your own, which demands no statements"
)


@check(
    "ledger",
    looks_at="what the database and the upstream counted from before the load until it ended, compared with the "
    "verified answers",
    remedy="do the work for each request: keep no answers, rows or results between requests, unless the workload "
    "allows it",
    share=Threshold(
        SHARE,
        "share of the implied work",
        "answers in flight at either end, and counters that databases report late; less than trials differ among "
        "themselves",
    ),
)
def ledger(ledger: Ledger, trial: TrialRecord, case: Case, *, share: float) -> Iterator[Finding]:
    """Compare the work of the database and the upstream with the answers: skipped work shows in their counters.

    A refusal for each kind of work of which less was done than the answers imply; else a note with the figures.
    """
    if ledger.verified == 0:
        return
    work = case.record.implied_work.get(trial.condition)
    if work is None:
        yield finding("warning", WORK_UNKNOWN, "run the experiment again to have the work proven")
        return
    left_out = LATE_ELSEWHERE if _is_external(case, trial) else set()
    implied = {**work.least_per_answer, **_by_request(work, ledger)}
    short = {
        name: least
        for name, least in implied.items()
        if name in ledger.done.keys() - left_out
        and ledger.done[name] < least_counted(name, least * ledger.verified, share)
    }
    remedy = _remedy(trial, short, implied.keys() & ledger.done.keys(), share)
    for name, least in short.items():
        late = ledger.after_load.get(name, 0)
        debt = f"; {late:,} more came when the load had ended, which was too late" if late else ""
        evidence = f"{_figure(trial, name)}; the workload implies at least {least:g}{debt}"
        yield finding("refusal", evidence, remedy)
    owing = [] if short else list(_owing(trial, ledger, implied, share))
    for evidence in owing:
        yield finding("refusal", evidence)
    too_soon = trial.program is not None and trial.program.seconds < work.least_seconds
    if trial.program is not None and too_soon:
        took = f"it took {trial.program.seconds:.3f} s"
        waiting = f"waiting alone takes {work.least_seconds:g} s with as many at once as the experiment allows"
        yield finding("refusal", f"{took}, and {waiting}", "keep to DB_POOL or CONCURRENCY")
    names = dict.fromkeys([*NOUNS, *implied])
    figures = [_figure(trial, name) for name in names if name in ledger.done]
    if ledger.done.get("threads", ledger.done.get("tasks", 0)) < ledger.done.get("tasks", 0):
        figures.append("fewer kernel threads than tasks: the number of tasks is the program's word")
    provable = ledger.done.get("steps", 0) * (1 - share)
    if ledger.done.get("voluntary_switches", 0) < provable:
        figures.append(
            "the token proves that every step was computed; with fewer switches of kernel threads than steps, "
            "it is the program's word that each was made by another task"
        )
    if figures and not short and not owing and not too_soon:
        yield finding("note", "; ".join(figures), nothing_to_do("this is the ledger of the trial"))


def _owing(trial: TrialRecord, ledger: Ledger, implied: Mapping[str, float], share: float) -> Iterator[str]:
    """Rows that were all there once the stack had ended, and too few of them when the load had, in words."""
    if trial.engine is None or not trial.engine.window_seconds:
        return
    latest = HANDED_IN_WITHIN_SECONDS * trial.engine.verified / trial.engine.window_seconds
    for name, count in ledger.handed_in.items():
        least = implied.get(name, 0.0) * max(0.0, ledger.verified - latest) * (1 - share)
        if "." in name and count < least:
            late = ledger.done[name] - count
            yield (
                f"{_figure(trial, name)}, of which {late:,} came in when the load had ended, which was too late: "
                f"what is done under the load comes in within {HANDED_IN_WITHIN_SECONDS:g} s"
            )


def _by_request(work: ImpliedWork, ledger: Ledger) -> dict[str, float]:
    """The work of each verified answer that depends on its request: by the answers, not by the requests.

    Who waits for a long answer asks for nothing meanwhile, so that at the end more long ones are under way than in the
    mix.
    """
    implied: dict[str, float] = {}
    for name, answers in ledger.verified_by_request.items():
        kinds = dict(work.per_request_in_tables.get(name, {}))
        kinds["statement_milliseconds"] = 1e3 * work.sleeping_seconds.get(name, 0.0)
        for kind, each in kinds.items():
            implied[kind] = implied.get(kind, 0.0) + each * answers / ledger.verified
    return {kind: least for kind, least in implied.items() if least > 0}


def _is_external(case: Case, trial: TrialRecord) -> bool:
    database = case.condition_of(trial).service
    return any(service.name == database and service.where == "external" for service in case.record.services)


def _remedy(trial: TrialRecord, short: Mapping[str, float], counted: Collection[str], share: float) -> str:
    """The change that an honest server would need; empty: as the check says.

    Requests shared statements if there were some and no rows are missing. Without the reads, answers came from memory.
    """
    ledger = trial.ledger
    if ledger is None or trial.program is not None or not short:
        return ""
    some = all(ledger.done[name] >= share * least * ledger.verified for name, least in short.items())
    kinds = {name.partition(".")[0] for name in short}
    if kinds <= STATEMENTS and some:
        return SHARED if any(name.startswith("rows_") for name in counted) else ""
    return CACHED if kinds <= READS | {"rows_read"} else ""


def least_counted(name: str, work: float, share: float = SHARE) -> float:
    """How much has to be counted of a kind of work of which so much is implied."""
    return round(work) if name in EXACT else work * (1 - share)


def _figure(trial: TrialRecord, name: str) -> str:
    assert trial.ledger is not None
    operations, verified = trial.ledger.done[name], trial.ledger.verified
    each = "a verified answer" if trial.program is None else "an operation"
    kind, _, table = name.partition(".")
    where = f" in {table}" if table else ""
    return f"{operations / verified:.2f} {NOUNS[kind]}{where} {each} ({operations:,} for {verified:,})"


LATE = ("commits", "rows_read.", "rows_written.", "statement_milliseconds")
"""How names begin of what a database counts late while sessions are open, or when a long statement ends."""


@check(
    "work-before-the-window",
    looks_at="what the database counted from when a window had opened until its load ended, compared with the verified "
    "answers of that time; and the upstream's processor time in it, compared with that of all its calls",
    remedy="do the work of an answer when it is asked for: what was done in the warm-up, or in the probes of a search, "
    "pays for no later answer",
    share=Threshold(
        0.2,
        "share of the implied work",
        "the window opens some milliseconds before the counters are read, and its pace varies meanwhile",
    ),
    upstream=Threshold(
        0.25,
        "of the processor time that its calls took on average",
        "a call among many costs a server a third of one alone, which wakes it",
    ),
)
def work_before_the_window(
    window_work: list[WindowWork], trial: TrialRecord, case: Case, *, share: float, upstream: float
) -> Iterator[Finding]:
    """Work that was done before anybody measured does not pay for the answers of the window.

    A refusal for each kind of work of which less was done in a window than its answers imply.
    """
    work = case.record.implied_work.get(trial.condition)
    if work is None:
        return
    implied = work.least_per_answer
    for window in window_work:
        answers = window.answers
        for name, least in implied.items():
            if name not in window.counts or name.startswith(LATE) or _was_never_done(trial.ledger, name, least, share):
                continue
            if window.counts[name] < least * answers * (1 - share):
                kind, _, table = name.partition(".")
                where = f" in {table}" if table else ""
                yield finding(
                    "refusal",
                    f"{window.counts[name]:,} {NOUNS[kind]}{where} in {window.seconds:.2f} s of the window, in which "
                    f"some {answers:,.0f} requests were answered; the workload implies at least {least:g} each",
                )
        calls = 0 if trial.ledger is None else trial.ledger.done.get("calls", 0)
        if window.upstream_share is None or not implied.get("calls") or not calls:
            continue
        paid_calls = window.upstream_share * calls
        if paid_calls < implied["calls"] * answers * upstream:
            yield finding(
                "refusal",
                f"the upstream used {window.upstream_share:.1%} of its processor time in {window.seconds:.2f} s of the "
                f"window, which is that of {paid_calls:,.0f} of its {calls:,} calls; some {answers:,.0f} requests were "
                "answered in that time",
            )


def _was_never_done(ledger: Ledger | None, name: str, least: float, share: float) -> bool:
    """Whether so much work was not done at any other time either, which the check `ledger` says."""
    return ledger is not None and ledger.done.get(name, math.inf) < least * ledger.verified * (1 - share)


@check(
    "work-after-the-run",
    looks_at="writing statements and the rows they wrote from the last answer until the stack had stopped, and the "
    "database's processor time until it was at rest",
    remedy="answer only when the database has committed: what is written later was not measured",
    writes=Threshold(
        16,
        "statements",
        "beyond the requests that were in flight when the load ended: room for a few of the database's own",
    ),
    seconds=Threshold(
        2.0,
        "seconds",
        "a commit is durable when it is acknowledged; two seconds is time for a page writer, not for a queue",
    ),
)
def work_after_the_run(
    settle: Settle, engine: EngineSummary, ledger: Ledger | None, *, writes: float, seconds: float
) -> Iterator[Finding]:
    """Work that is finished only after the last answer was not measured.

    A refusal for writes that came after the load; a warning for a database that stayed at work for long.
    """
    after = {} if ledger is None else ledger.after_load
    late = max(settle.writes_after or 0, after.get("writes", 0))
    late_rows = after.get("rows_written", 0)
    if max(late, late_rows) > writes + engine.in_flight_at_end:
        rows = f", which wrote {late_rows:,} rows," if late_rows else ""
        yield finding(
            "refusal",
            f"{late:,} writing statements{rows} came after the last answer, when {engine.in_flight_at_end} requests "
            f"were in flight; the database was at rest {settle.seconds:.1f} s later",
        )
    elif settle.seconds > seconds or not settle.at_rest:
        rest = "at rest" if settle.at_rest else "not at rest even"
        yield finding(
            "warning",
            f"the database was {rest} {settle.seconds:.1f} s after the last answer",
            "find out what it does then: an upsert without an index, a backlog of its own, a checkpoint",
        )


MISSED_SHARE = 0.05
"""So many of the trials in which that share of answers came from memory would not have shown it."""

MEASURE_LONGER = "measure longer, or a table of fewer rows: more answers then show a row that changed"


@check(
    "stale",
    looks_at="rows that the lab changed in the database before and while the load ran, and what the stack answered "
    "afterwards",
    remedy="read the row from the database after its request has come, on every request; a cache needs a workload that "
    "allows it",
    share=Threshold(
        0.02,
        "share of the answers",
        "memory behind more of them would have been found with 95%, or it is noted that it would not: 149 answers "
        "that show a changed row are enough, in all trials of a condition together",
    ),
)
def stale(
    trial: TrialRecord,
    case: Case,
    freshness: Freshness | None,
    row_changes: RowChangesSeen | None,
    *,
    share: float,
) -> Iterator[Finding]:
    """An answer that shows a row as it was before it changed comes from a cache, not from the database.

    A refusal where a changed row's old text was answered; a note where too few could tell.
    """
    if freshness is not None and freshness.stale > 0:
        grace = freshness.grace_seconds
        when = f" {grace:g} s after they changed" if grace else ", asked after their change was committed"
        yield finding(
            "refusal",
            f"{freshness.stale} of {freshness.changed} rows were still answered as they had been{when}: "
            f"{freshness.example}",
        )
    if row_changes is not None:
        alike = [each.row_changes for each in case.trials_of(trial.condition) if each.row_changes is not None]
        yield from _of_load(row_changes, sum(each.answers for each in alike), share)


def _of_load(changes: RowChangesSeen, answers: int, share: float) -> Iterator[Finding]:
    """The evidence of the load's own answers; `answers`: how many showed a changed row in all trials of the
    condition."""
    if changes.old:
        yield finding(
            "refusal",
            f"{changes.old:,} of {changes.answers:,} answers to the load that showed a changed row showed it as it had "
            f"been, asked for up to {changes.latest_seconds:.3g} s after the change was committed: {changes.example}",
        )
    elif (least_share := least_share_found(answers)) > share:
        least = f"memory behind less than {figure(100 * least_share)}% of the answers" if answers else "memory"
        yield finding(
            "note",
            f"not examined: {answers} answers to the load showed a row that had changed, too few to find {least}",
            MEASURE_LONGER,
            examined=False,
        )


def least_share_found(answers: int) -> float:
    """The smallest share of answers from memory of which, among so many, one shows with 95%: 1 - 0.05^(1/n).

    With a share s from memory, none of n is with the probability (1 - s)^n.
    """
    return 1 - MISSED_SHARE ** (1 / answers) if answers else 1.0
