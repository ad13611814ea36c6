from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.record.database import Durability
from fairtrial.record.model import TrialRecord


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
