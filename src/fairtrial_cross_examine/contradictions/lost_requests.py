"""Requests without an answer, which are in no time: the percentiles above their share are unknown."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, share, time
from fairtrial_cross_examine.model import PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where more than a thousandth of the requests had no answer, and times are printed."""
    for run in evidence.runs:
        failures, answered = sum(run.unanswered.values()), run.timed_requests
        if not failures or answered is None or not _has_times(run):
            continue
        part = failures / (failures + answered.value)
        if part <= kind.threshold("share"):
            continue
        kinds = ", ".join(f"{number:,} {name}" for name, number in run.unanswered.items())
        says = (
            f"{kinds}: {share(part)} of all requests are not among the times. What is printed is the mean "
            f"and the percentiles of the survivors; of all requests, nothing above p{100 * (1 - part):.4g} is known"
        )
        hidden = [(percent, figure) for percent, figure in run.times.ordered() if percent > 100 * (1 - part)]
        if hidden:
            says += f", so that p{hidden[0][0]:g} is not {time(hidden[0][1].value)}"
        yield kind.contradiction(
            [run.name],
            f"{says}.",
            {
                "answered": grouped(answered.value),
                **{name: f"{number:,}" for name, number in run.unanswered.items()},
            },
        )


def _has_times(run: PrintedRun) -> bool:
    return run.times.mean is not None or bool(run.times.percentiles)


KIND = ContradictionKind(
    name="lost-requests",
    title="Requests that are in no time",
    formula="highest known percentile = 100 × answered / (answered + unanswered)",
    thresholds={
        "share": Threshold(0.001, "share of the requests", "p99.9 is the highest percentile that is commonly quoted"),
    },
    ask="How long did the requests wait that had no answer, and what are the percentiles with them?",
    examine=examine,
)
