from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.record.database import Settle
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.proof import Ledger


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
