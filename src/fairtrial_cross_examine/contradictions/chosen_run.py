"""One run out of several, without the others and without a spread."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import names, share
from fairtrial_cross_examine.model import PrintedOutput, PrintedRun

CHOICES = {"best": "the best", "chosen": "a chosen one"}


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each file that prints the best, or any chosen one, of its runs."""
    by_source: dict[str, list[PrintedRun]] = defaultdict(list)
    for run in evidence.runs:
        if run.statistic in CHOICES:
            by_source[run.source].append(run)
    for runs in by_source.values():
        first = runs[0]
        of = "of several runs" if first.runs is None else f"of {first.runs:,} runs"
        says = (
            f"{names([run.name for run in runs])}: {CHOICES[str(first.statistic)]} {of} each, without the others. How "
            "far two runs of the same differ is not said, so that no difference between contenders can be told from "
            "it."
        )
        closest = _closest(runs)
        if closest is not None:
            says += f" The two closest differ by {share(closest)}."
        figures = {run.name: f"{run.statistic} {of}" for run in runs}
        yield kind.contradiction([run.name for run in runs], says, figures)


def _closest(runs: list[PrintedRun]) -> float | None:
    """The smallest difference between two runs: what the reader has to believe without a spread."""
    values = sorted(run.rate.value for run in runs if run.rate is not None and run.rate.value > 0)
    return min((high / low - 1 for low, high in pairwise(values)), default=None)


KIND = ContradictionKind(
    name="chosen-run",
    title="The best of several runs, without their spread",
    formula="the best of n runs grows with n, whatever is measured; a difference needs the spread of runs",
    thresholds={},
    ask="What did every run print, in which order, and which were left out for which reason?",
    examine=examine,
)
