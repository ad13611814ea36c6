from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.record.database import Durability


@check(
    "commits-not-flushed",
    looks_at="the database's settings in force and its flushes of the log, read when the stack has ended, compared "
    "with those at its start and with the commits",
    remedy="leave durability as the server was started: no synchronous_commit of a role, a session or the URL; "
    'to measure relaxed commits, choose `variant = "relaxed"` for all',
    times=Threshold(
        2.0,
        "commits per flush and connection",
        "a connection waits for its commit before it sends the next, so a flush releases one commit of each; twice "
        "that, as a pool may shrink before it is counted, and savepoints count as commits",
    ),
    commits=Threshold(
        200.0,
        "writing commits",
        "the fewest that are judged: the database's own housekeeping takes some without a flush",
    ),
)
def commits_not_flushed(
    durability: Durability, database_connections: int | None, *, times: float, commits: float
) -> Iterator[Finding]:
    """Commits that were acknowledged before they were on the disk, although the server was started to flush each.

    A refusal for settings that were relaxed since, and for more commits than the flushes can release.
    """
    if not durability.promised:
        return
    reasons = [f"{name} was {change}" for name, change in sorted(durability.changed.items())]
    reasons += durability.relaxed
    reasons += _unreleased(durability, database_connections, times, commits)
    if reasons:
        yield finding("refusal", "; ".join(reasons))


def _unreleased(durability: Durability, sessions: int | None, times: float, least: float) -> list[str]:
    """The excess over the bound, in words; empty if it holds or is not known."""
    commits, flushes = durability.commits, durability.flushes
    if commits is None or flushes is None or not sessions:
        return []
    if commits <= max(least, times * sessions * flushes):
        return []
    each = f", {commits / flushes:,.0f} with each" if flushes else ""
    return [
        f"{commits:,} writing commits with {flushes:,} flushes of the log{each}: {sessions} connections can wait for "
        f"{sessions} commits at once, no more"
    ]
