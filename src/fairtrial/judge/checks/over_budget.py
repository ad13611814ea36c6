"""Connections to the database beyond the concurrency budget: more requests worked on at once than the others may."""

from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.judge.checks.model import Case, Check, Finding, Threshold

WATCHED = "mongodb"
"""The service whose drivers hold connections beside their pools."""


def examine(case: Case) -> Iterator[Finding]:
    """A warning for each trial whose stack held more connections than its budget explains."""
    conditions = {condition.id: condition for condition in case.record.conditions}
    for trial in case.trials:
        connections, condition = trial.database_connections, conditions.get(trial.condition)
        if connections is None or trial.server is None or condition is None:
            continue
        budget, processes = case.record.budget_of(condition), max(1, trial.server.processes)
        own = case.thresholds["drivers_own"] * processes if condition.service == WATCHED else 0
        rounded_up = processes - 1  # each process rounds its share up by less than one
        if connections > budget + rounded_up + own:
            yield case.finding(
                trial.index,
                "warning",
                f"{connections} connections to the database, and the concurrency budget is "
                f"{count(budget, 'request')} at once",
            )


CHECK = Check(
    name="over-budget",
    looks_at="the connections to the database that the stack's processes held in the warm-up and when the window "
    "closed, compared with the concurrency budget",
    thresholds={
        "drivers_own": Threshold(
            2,
            "connections of each process to MongoDB",
            "a MongoDB driver watches its server by a connection of its own and measures the round-trip time by "
            "another (Server Monitoring specification); other drivers hold none beside their pools",
        ),
    },
    remedy="size pools and processes by MAX_CONCURRENCY, MAX_THREADS and DB_POOL; or raise `concurrency_budget` for "
    "all",
    examine=examine,
    needs_processes=True,
)
