"""An answer that shows a row as it was before it changed comes from a cache, not from the database."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each trial in which a changed row's old value was still answered after the grace period."""
    for trial in case.trials:
        freshness = trial.freshness
        if freshness is not None and freshness.stale > 0:
            yield case.finding(
                trial.index,
                "refusal",
                f"{freshness.stale} of {freshness.changed} rows were still answered as they had been "
                f"{freshness.grace_seconds:g} s after they changed: {freshness.example}",
            )


CHECK = Check(
    name="stale",
    looks_at="rows that the lab changed in the database while the load ran, and what the stack answered afterwards",
    thresholds={},
    remedy="read the row from the database on every request; a cache needs a workload that allows it",
    examine=examine,
)
