"""Commits that were acknowledged before they were on the disk, although the server was started to flush each."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.model import TrialRecord


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for settings that were relaxed since, and for more commits than the flushes of the log can release."""
    for trial in case.trials:
        durability = trial.durability
        if durability is None or not durability.promised:
            continue
        reasons = [f"{name} was {change}" for name, change in sorted(durability.changed.items())]
        reasons += durability.relaxed
        reasons += _unreleased(trial, case.thresholds["times"], case.thresholds["commits"])
        if reasons:
            yield case.finding(trial.index, "refusal", "; ".join(reasons))


def _unreleased(trial: TrialRecord, times: float, least: float) -> list[str]:
    """What exceeds the bound, in words; empty if it holds or is not known."""
    durability, sessions = trial.durability, trial.database_connections
    assert durability is not None
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


CHECK = Check(
    name="commits-not-flushed",
    looks_at="the database's settings in force and its flushes of the log, read when the stack has ended, compared "
    "with those at its start and with the commits",
    thresholds={
        "times": Threshold(
            2.0,
            "commits per flush and connection",
            "a connection waits for its commit before it sends the next, so a flush releases one commit of each, "
            "however well the database groups them; twice that, as a pool may shrink before it is counted, and as "
            "savepoints in a database that is also read count as commits",
        ),
        "commits": Threshold(
            200.0,
            "writing commits",
            "the fewest that are judged: the database's own housekeeping takes some without a flush",
        ),
    },
    remedy="leave durability as the server was started: no synchronous_commit of a role, a session or the URL; "
    'to measure relaxed commits, choose `variant = "relaxed"` for all',
    examine=examine,
)
