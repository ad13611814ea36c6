"""A load at a rate that did not take place."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, rate, share
from fairtrial_cross_examine.model import PrintedOutput


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where the rate is below the one that was asked for, or requests were dropped."""
    for run in evidence.runs:
        goal, reached = run.constant_rate_per_second, run.rate_per_second
        if run.dropped_requests and run.requests is not None:
            part = run.dropped_requests / (run.dropped_requests + run.requests.value)
            if part > kind.threshold("dropped"):
                says = (
                    f"{run.dropped_requests:,} requests were due and were never sent, {share(part)} of the load: those "
                    "that would have waited longest are in no figure."
                )
                figures = {"dropped": f"{run.dropped_requests:,}", "sent": grouped(run.requests.value)}
                yield kind.contradiction([run.name], says, figures)
        elif goal is not None and reached is not None and reached.high < kind.threshold("share") * goal.low:
            says = (
                f"{rate(goal.value)} was asked for and {rate(reached.value)} was reached, "
                f"{share(reached.value / goal.value)} of it: the load did not take place, and its latencies are those "
                "of a smaller one, or of a queue that grows as long as the run lasts."
            )
            yield kind.contradiction([run.name], says, {"asked": rate(goal.value), "reached": rate(reached.value)})


KIND = ContradictionKind(
    name="load-not-offered",
    title="A load that did not take place",
    formula="rate ≥ 0.99 × the rate that was to be",
    thresholds={
        "share": Threshold(0.99, "share of the constant rate", "the last requests of a run are still under way"),
        "dropped": Threshold(0.001, "share of the requests", "as errors: p99.9 is the highest that is commonly quoted"),
    },
    ask="Up to which rate does it keep up, and what are the latencies there?",
    examine=examine,
)
