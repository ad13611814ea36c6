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
    "closed, compared with the concurrency budget; of those to MongoDB, also what was sent on each (tcp_info)",
    remedy="size pools and processes by MAX_CONCURRENCY, MAX_THREADS and DB_POOL; or raise `concurrency_budget` for "
    "all",
    needs_processes=True,
    drivers_own=Threshold(
        2,
        "connections of each process to MongoDB",
        "a MongoDB driver watches its server by a connection of its own and measures the round-trip time by "
        "another (Server Monitoring specification): three messages, and one every ten seconds. One that carries more "
        "counts, as do all of other drivers, which hold none beside their pools",
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
    rounded_up = processes - 1  # each process rounds its share up by less than one
    at_work, of_them = database_connections, ""
    if condition.service == WATCHED:
        with_work = trial.worked_connections or 0
        at_work = max(round(database_connections - drivers_own * processes), with_work)
        of_them = f", {with_work} of which carried work" if with_work else ""
    if at_work > budget + rounded_up:
        yield finding(
            "warning",
            f"{database_connections} connections to the database{of_them}, and the concurrency budget is "
            f"{count(budget, 'request')} at once",
        )
