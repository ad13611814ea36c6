"""A run that lasted for another time than it was to."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import time
from fairtrial_cross_examine.model import LONGEST_SHARE, SHORTEST_SHARE, STOPPING_SECONDS, PrintedOutput


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where the printed seconds are far from those that were planned."""
    for run in evidence.runs:
        lasted = run.rate_seconds or run.seconds
        if not run.took_another_time or run.planned_seconds is None or lasted is None:
            continue
        planned, took = time(run.planned_seconds.value), time(lasted.value)
        says = f"The run was to last {planned}, and {took} are printed."
        if lasted.value > run.planned_seconds.value:
            says += (
                " It did not stop when it was to: it waited for answers, or the clock was set. A rate over these "
                "seconds is not that of the load."
            )
        else:
            says += " It was ended early."
        yield kind.contradiction([run.name], says, {"planned": planned, "printed": took})


KIND = ContradictionKind(
    name="planned-time",
    title="A run of another length than planned",
    formula="0.9 × planned ≤ seconds ≤ 1.5 × planned, or 2 s more",
    thresholds={
        "shortest": Threshold(SHORTEST_SHARE, "share of the plan", "tools stop a moment early"),
        "longest": Threshold(LONGEST_SHARE, "share of the plan", "a busy machine took 1.25"),
        "stopping": Threshold(STOPPING_SECONDS, "seconds", "the time-out of wrk"),
    },
    ask="How long did the run last by another clock, and over which seconds is the rate?",
    examine=examine,
)
