"""How long an experiment will take, and how a time is shown."""

BESIDE_THE_LOAD_SECONDS = 1.0
"""A guess at start, contract and stop of a trial, until trials have been seen."""


def planned_seconds(trials: int, warmup_seconds: float, duration_seconds: float) -> float:
    """The experiment's length as far as the plan tells."""
    return trials * (warmup_seconds + duration_seconds + BESIDE_THE_LOAD_SECONDS)


def minutes(seconds: float) -> str:
    """`1:05` for 65 seconds."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
