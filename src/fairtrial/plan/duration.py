"""How long an experiment will take, and how a time is shown."""

from fairtrial.experiment.loads import Load

BESIDE_THE_LOAD_SECONDS = 1.0
"""A guess at start, contract and stop of a trial, until trials have been seen."""


def planned_seconds(trials: int, load: Load) -> float:
    """The experiment's length as far as the plan tells."""
    return trials * (load.planned_seconds + BESIDE_THE_LOAD_SECONDS)
