import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from fairtrial.base.formatting import count, figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.statistics.independence import serial_dependence
from fairtrial.judge.statistics.student import MINIMUM_BLOCKS
from fairtrial.judge.statistics.trend import SHORTEST, Trend, in_parts, trend
from fairtrial.record.model import TrialRecord

OF_ALL = (
    "compare contenders by ratios, in which what changes for all of them cancels; for the figures of one alone, find "
    "what changes over the run: heat, another tenant of the machine, a disk that fills"
)

BESIDE = "beside that of the others in the same block"
DOUBT = "; too little, or too likely by chance, for a warning: if it is so, the intervals of its ratios are too narrow"

Distances = Mapping[str, Mapping[int, float]]
"""By condition and block, the log ratio of a trial's goodput to that of a typical trial of its condition and lane."""


@check(
    "drift-over-blocks",
    looks_at="goodput of all trials in their order, each as a log ratio to the median of its condition and lane; and "
    "of each condition over blocks, beside the median of all (Mann-Kendall), under loads in which the server sets the "
    "rate; and of the load engine's ceilings over blocks",
    remedy="find what changes for this contender alone over the run: rows that it adds, a cache that fills; bring it "
    "back before each trial, or claim its figures for a state that you name",
    alpha=Threshold(
        0.001,
        "probability",
        "as for not-stationary",
    ),
    note_alpha=Threshold(
        0.05,
        "probability",
        "of a note in a run whose blocks are independent; half of the drifts by a tenth are found so at 20 blocks",
    ),
    change=Threshold(
        0.1,
        "share of the typical goodput",
        "a straight drift by a tenth puts the first and the last blocks 5% off the middle",
    ),
)
def drift_over_blocks(case: Case, *, alpha: float, note_alpha: float, change: float) -> Iterator[Finding]:
    """A run whose later trials differ from its earlier ones: blocks are then no independent starts.

    At most one finding for all trials together, one for each condition beside the others, and one for each series of
    ceilings.

    What drifts for all contenders alike cancels in ratios; what drifts for one of them alone cancels nowhere.
    """
    distances = distances_of(case.trials)
    in_order = [distances[trial.condition][trial.block] for trial in case.trials if trial.condition in distances]
    together = drift(in_order, change, alpha)
    if together is not None:
        yield finding(
            "warning",
            f"over {count(len(in_order), 'trial')} in their order, goodput {_went(together)}, each beside that of a "
            "typical trial of its contender",
            OF_ALL,
        )
    of_each = beside_others(distances)
    series = {each.contender: of_each.get(each.id, []) for each in case.record.conditions}
    for contender, beside in series.items():
        plain = drift(beside, change, alpha)
        if plain is not None:
            yield finding("warning", f"{_over(contender, beside)} {_went(plain)}, {BESIDE}", contenders=[contender])
        elif (why := why_doubtful(beside, note_alpha, len(series))) is not None:
            yield finding("note", f"{_over(contender, beside)} {why}, {BESIDE}{DOUBT}", contenders=[contender])
    lanes = _lanes(case.trials)
    for conditions, ceilings in ceilings_of(case.trials).items():
        harness = drift(
            [math.log(ceilings[block] / _typical(ceilings, lanes, block)) for block in sorted(ceilings)],
            change,
            alpha,
        )
        if harness is not None:
            contenders = [each.contender for each in case.record.conditions if each.id in conditions]
            yield finding(
                "warning",
                f"what the load engine reaches of a server that does nothing {_went(harness)}, over "
                f"{count(len(ceilings), 'block')}, before each: it is the machine that changes (load of "
                f"{', '.join(contenders)})",
                OF_ALL,
                contenders=contenders,
            )


def ceilings_of(trials: Sequence[TrialRecord]) -> dict[tuple[str, ...], dict[int, float]]:
    """By the conditions that have them in common, the load engine's ceilings by block, in requests per second."""
    of_condition: dict[str, dict[int, float]] = defaultdict(dict)
    for trial in trials:
        if trial.ceiling is not None and trial.ceiling.per_second > 0:
            of_condition[trial.condition][trial.block] = trial.ceiling.per_second
    alike: dict[tuple[str, ...], dict[int, float]] = {}
    for condition, ceilings in of_condition.items():
        others = next((each for each, series in alike.items() if _agree(series, ceilings)), ())
        alike[(*others, condition)] = alike.pop(others, {}) | ceilings
    return alike


def _agree(first: Mapping[int, float], second: Mapping[int, float]) -> bool:
    """Whether two series are one, as they have a block in common and the same ceiling in each of these."""
    common = set(first) & set(second)
    return bool(common) and all(first[block] == second[block] for block in common)


def distances_of(trials: Sequence[TrialRecord]) -> Distances:
    """The distance of each trial from the typical rate of its condition, on the logarithm, by condition and block.

    Only conditions that have a goodput in each of their trials, MINIMUM_BLOCKS or more, and set the rate themselves.
    """
    read = METRICS["goodput"].read
    by_condition: dict[str, dict[int, float]] = defaultdict(dict)
    lanes = _lanes(trials)
    for trial in trials:
        rate = read(trial)
        is_offered = trial.engine is not None and trial.engine.achieved_over_offered is not None
        by_condition[trial.condition][trial.block] = 0.0 if rate is None or is_offered else rate
    whole = {name: rates for name, rates in by_condition.items() if min(rates.values()) > 0}
    return {
        name: {block: math.log(rate / _typical(rates, lanes, block)) for block, rate in rates.items()}
        for name, rates in whole.items()
        if len(rates) >= MINIMUM_BLOCKS
    }


def _lanes(trials: Sequence[TrialRecord]) -> dict[int, int | None]:
    """By block, the lane on which it was tried."""
    return {trial.block: trial.lane for trial in trials}


def _typical(rates: Mapping[int, float], lanes: Mapping[int, int | None], block: int) -> float:
    """The median over the blocks of the same lane: a lane that is slower throughout is no drift."""
    return median(rate for other, rate in rates.items() if lanes[other] == lanes[block])


def beside_others(distances: Distances) -> dict[str, list[float]]:
    """By condition, in the order of the blocks, how far it lies from the median of all, or from the only other one;
    empty if there is no other. One that drifts does not move the median of three: the others are not blamed for it."""
    if len(distances) < 2:
        return {}
    blocks = sorted(set.intersection(*(set(each) for each in distances.values())))
    typical = {block: median(each[block] for each in distances.values()) for block in blocks}
    if len(distances) > 2:
        return {name: [each[block] - typical[block] for block in blocks] for name, each in distances.items()}
    first, second = distances
    between = [distances[first][block] - distances[second][block] for block in blocks]
    return {first: between, second: [-difference for difference in between]}


def drift(distances: Sequence[float], change: float, alpha: float) -> Trend | None:
    """The trend of these log ratios, if it is neither small nor likely to be chance; None with fewer than SHORTEST."""
    if len(distances) < SHORTEST:
        return None
    estimate = trend(in_parts([math.exp(distance) for distance in distances])[0])
    return estimate if abs(estimate.change) >= change and estimate.p_value < alpha else None


def why_doubtful(beside: Sequence[float], alpha: float, conditions: int) -> str | None:
    """The reason to doubt that a condition's log ratios, in the order of the blocks, are independent: a trend of any
    size, or values each like the one before it, as independent ones have in fewer than `alpha` of runs. None with fewer
    than SHORTEST.

    Args:
        conditions: among so many, and between both tests, alpha is divided (Bonferroni). Of two conditions the series
            mirror each other, and count as one.
    """
    if len(beside) < SHORTEST:
        return None
    each = alpha / 2 / (1 if conditions <= 2 else conditions)
    estimate = trend([math.exp(distance) for distance in beside])
    if estimate.p_value < each:
        return _went(estimate)
    p_value = serial_dependence(beside)
    return f"is like that of the block before it (p {p_value:.1g})" if p_value < each else None


def _over(contender: str, beside: Sequence[float]) -> str:
    return f"{contender}: over {count(len(beside), 'block')}, its goodput"


def _went(estimate: Trend) -> str:
    direction = "fell" if estimate.change < 0 else "rose"
    return f"{direction} by {figure(100 * abs(estimate.change))}% from the first to the last (p {estimate.p_value:.1g})"
