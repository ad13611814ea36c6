"""A stack that wrote so much to its log that the log was cut off."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding


def examine(case: Case) -> Iterator[Finding]:
    """A warning for each trial in whose log something is missing."""
    for trial in case.trials:
        if trial.log_dropped_bytes:
            yield case.finding(
                trial.index,
                "warning",
                f"the stack's log was cut off: {trial.log_dropped_bytes:,} bytes of it are not kept; writing them took "
                "processor time, and a disk that others use",
            )


CHECK = Check(
    name="log-cut",
    looks_at="how much the stack printed: a log is cut off at 64 MiB",
    thresholds={},
    remedy="have the stack print less; as in production, requests need not be logged one by one",
    examine=examine,
)
