"""How a row of the table of tolerances is tried: the largest offence that a check lets pass, and what it buys."""

from collections.abc import Callable
from dataclasses import dataclass

from fairtrial.record.model import ExperimentRecord, TrialRecord
from tests.builders import an_experiment
from tests.judge.checks.findings import found

EXPERIMENT = an_experiment("a").record()
ANSWERS = 100_000


@dataclass(frozen=True)
class Tolerance:
    """What stays just inside of a threshold.

    Attributes:
        threshold: the check and its key.
        attempt: what the contender does, and how much of it.
        gains: what it has of it, as the record shows it.
        then: what becomes of that.
    """

    threshold: str
    attempt: str
    gains: str
    then: str


def lets_pass(check: str, trial: TrialRecord, record: ExperimentRecord = EXPERIMENT, metric: str = "goodput") -> bool:
    """Whether a check leaves this metric of the trial, and says nothing that stands in a verdict."""
    findings = found(check, record, [trial])
    return not any(
        not each.examined or (each.severity == "refusal" and (each.refuses_trial or each.takes(metric)))
        for each in findings
    )


def is_silent(check: str, record: ExperimentRecord, *trials: TrialRecord) -> bool:
    """Whether a check finds nothing at all, not even something to warn of."""
    return not found(check, record, trials)


def largest(passes: Callable[[float], bool], low: float, high: float) -> float:
    """The largest value that passes, where the lower pass."""
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return low


def percent(share: float) -> str:
    """To a tenth, smaller ones to one digit."""
    return f"{100 * share:.1f}%" if share >= 0.001 else f"{100 * share:.1g}%"
