"""Work that is finished only after the last answer was not measured."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for writes that came after the load; a warning for a database that stayed at work for long."""
    for trial in case.trials:
        settled, engine = trial.settle, trial.engine
        if settled is None or engine is None:
            continue
        late = settled.writes_after or 0
        if late > case.thresholds["writes"] + engine.in_flight_at_end:
            yield case.finding(
                trial.index,
                "refusal",
                f"{late:,} writing statements came after the last answer, when {engine.in_flight_at_end} requests were "
                f"in flight; the database was at rest {settled.seconds:.1f} s later",
            )
        elif settled.seconds > case.thresholds["seconds"] or not settled.at_rest:
            rest = "at rest" if settled.at_rest else "not at rest even"
            yield case.finding(
                trial.index,
                "warning",
                f"the database was {rest} {settled.seconds:.1f} s after the last answer",
                "find out what it does then: an upsert without an index, a backlog of its own, a checkpoint",
            )


CHECK = Check(
    name="work-after-the-run",
    looks_at="the database's writing statements and processor time after the last answer, with the stack still up",
    thresholds={
        "writes": Threshold(
            16,
            "statements",
            "beyond the requests that were in flight when the load ended: room for a few of the database's own",
        ),
        "seconds": Threshold(
            2.0,
            "seconds",
            "a commit is durable when it is acknowledged; two seconds is time for a page writer, not for a queue",
        ),
    },
    remedy="answer only when the database has committed: what is written later was not measured",
    examine=examine,
)
