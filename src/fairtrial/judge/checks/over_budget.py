from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import ServerMeter

WATCHED = "mongodb"
"""The service whose drivers hold connections beside their pools."""


@check(
    "over-budget",
    looks_at="the connections to the database that the stack's processes held in the warm-up and when the window "
    "closed, compared with the concurrency budget",
    remedy="size pools and processes by MAX_CONCURRENCY, MAX_THREADS and DB_POOL; or raise `concurrency_budget` for "
    "all",
    needs_processes=True,
    drivers_own=Threshold(
        2,
        "connections of each process to MongoDB",
        "a MongoDB driver watches its server by a connection of its own and measures the round-trip time by "
        "another (Server Monitoring specification); other drivers hold none beside their pools",
    ),
)
def over_budget(
    database_connections: int, server: ServerMeter, trial: TrialRecord, case: Case, *, drivers_own: float
) -> Iterator[Finding]:
    """Connections to the database beyond the concurrency budget: more requests worked on at once than the others may.

    A warning.
    """
    condition = case.condition_of(trial)
    budget, processes = case.record.budget_of(condition), max(1, server.processes)
    own = drivers_own * processes if condition.service == WATCHED else 0
    rounded_up = processes - 1  # each process rounds its share up by less than one
    if database_connections > budget + rounded_up + own:
        yield finding(
            "warning",
            f"{database_connections} connections to the database, and the concurrency budget is "
            f"{count(budget, 'request')} at once",
        )
