"""A high percentile that is the mean, to the digit: one figure under two names."""

from collections import defaultdict
from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial.judge.statistics.distributions import binomial_probabilities
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun

LEAST_PERCENTILE = 90


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each run, where more runs of a tool have it than by chance."""
    by_tool: dict[str, list[tuple[PrintedRun, str, bool]]] = defaultdict(list)
    for run in evidence.runs:
        highest = _highest(run)
        if highest is not None:
            by_tool[run.tool].append((run, *highest))
    for tool, runs in by_tool.items():
        equal = sum(same for _, _, same in runs)
        by_chance = binomial_probabilities(len(runs), kind.threshold("chance"))[equal:].sum()
        if not equal or by_chance >= kind.threshold("alpha"):
            continue
        for run, name, same in runs:
            if same and run.times.mean is not None:
                figure = time(run.times.mean.value)
                says = (
                    f"The mean and the p{name} are both {figure}, to the digit, as in {equal:,} of {len(runs):,} rows "
                    f"by {tool}: one in {round(1 / kind.threshold('chance'))} would be chance."
                )
                yield kind.contradiction([run.name], says, {"mean": figure, f"p{name}": figure})


def _highest(run: PrintedRun) -> tuple[str, bool] | None:
    """The lowest high percentile, and whether it is the mean; None where the digits are too few to tell."""
    mean = run.times.mean
    high = [(name, run.times.percentiles[name]) for name in run.times.percentiles if float(name) >= LEAST_PERCENTILE]
    low = [figure for percent, figure in run.times.ordered() if percent < LEAST_PERCENTILE]
    if mean is None or not high or any(figure == mean for figure in low):  # all times are the same
        return None
    name, figure = min(high, key=lambda pair: float(pair[0]))
    return (name, figure == mean) if _has_three_digits(mean) and _has_three_digits(figure) else None


def _has_three_digits(figure: Figure) -> bool:
    return 0 < 200 * figure.within <= figure.value


KIND = ContradictionKind(
    name="mean-as-percentile",
    title="A percentile that is the mean",
    formula="p99 = mean, to the digit, in more runs of a tool than by chance",
    thresholds={
        "chance": Threshold(
            0.01,
            "share of the runs",
            "two figures of three digits within one power of ten agree in one of some hundreds",
        ),
        "alpha": Threshold(
            0.001, "probability", "of so many by that chance, by the binomial distribution: two of two, five of 50"
        ),
    },
    ask="Does the tool print this percentile, and does the program that reads its output take it?",
    examine=examine,
)
