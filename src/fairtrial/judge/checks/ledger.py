from collections.abc import Collection, Iterator, Mapping

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.record.model import TrialRecord
from fairtrial.record.proof import ImpliedWork, Ledger

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
"""Of the implied work, which may be missing where counters lag or clocks differ."""

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
"""What requests may share while each still has its rows; in some workloads only."""

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
