import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fairtrial.base.formatting import count, figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.statistics.distributions import normal_quantile, poisson_above, student_above, student_quantile
from fairtrial.record.model import TrialRecord

FEWEST_BLOCKS = 5
"""With fewer, the spread around the middle rests on one or two starts."""
FEWEST_IN_A_GROUP = 4
"""At most 2 of 100 runs of any length then look like two groups, however far their starts scatter, be their logarithms
normal, Student's t with 3 degrees of freedom, or lognormal; with three in a group it is 7 (simulated)."""
NORMAL_SPREAD = 1.4826
"""Standard deviations of normal values for each median absolute deviation."""
TAILS = 3
"""Degrees of freedom of Student's t: honest starts may scatter with tails as heavy as this."""
SCALE_ERROR = 1.25
"""Standard error of a median absolute deviation, as a share of it, times the root of the number of values: of Student's
t with 3 degrees 1 / (4 f(m) m), with m its median absolute deviation and f its density there."""
ONE_SIDED = normal_quantile(0.95)
GOODPUT, COST = METRICS["goodput"], METRICS["server_cpu_per_1000_requests"]


@check(
    "starts-differ",
    looks_at="goodput of the starts of a condition, under loads in which the server sets the rate",
    remedy="find what these starts have in common: connections that were spread unevenly over workers "
    "(uneven-connections, uneven-workers), a cache or a pool that they found cold, code that was compiled another way; "
    "to hold a budget over them, claim it with `of_starts`",
    deviations=Threshold(
        3.5,
        "standard deviations",
        "the limit for outliers of B. Iglewicz and D. Hoaglin, How to Detect and Handle Outliers (1993), page 12, "
        "with the median absolute deviation as the measure of spread",
    ),
    factor=Threshold(
        1.25,
        "of the typical goodput",
        "starts that lie close together reach 3.5 deviations by a difference that nobody would act on",
    ),
    by_chance=Threshold(
        0.05,
        "of runs",
        "so many runs whose starts scatter as Student's t with 3 degrees have a warning; less is a note",
    ),
)
def starts_differ(case: Case, *, deviations: float, factor: float, by_chance: float) -> Iterator[Finding]:
    """Starts of one contender that fall apart: a few are far slower, or faster, than a typical one, or there are two
    kinds.

    At most one finding for each condition, about the experiment: a note where chance alone explains it.
    """
    conditions = [(each.contender, trials) for each in case.record.conditions if (trials := _trials_of(case, each.id))]
    chance = by_chance / len(conditions) if conditions else 0.0
    for name, trials in conditions:
        rates = [GOODPUT.read(trial) or 0.0 for trial in trials]
        far = far_from_middle(rates, deviations, factor)
        slow = slower_group(rates, factor)
        if any(slow):
            yield finding("warning", f"{name}: {_two_groups(trials, slow)}", contenders=[name])
        elif any(far):
            evidence = f"{name}: {_outliers(trials, far)}"
            if seldom_by_chance(rates, far, deviations, chance):
                yield finding("warning", evidence, contenders=[name])
            else:
                evidence += "; starts that scatter with heavy tails are as far off now and then"
                yield finding("note", evidence, contenders=[name])


def _trials_of(case: Case, condition: str) -> list[TrialRecord]:
    """Those of a condition that have a goodput; none where an open load sets the rate."""
    trials = [trial for trial in case.trials_of(condition) if GOODPUT.read(trial)]
    is_open = any(trial.engine is not None and trial.engine.achieved_over_offered is not None for trial in trials)
    return [] if is_open else trials


def far_from_middle(rates: Sequence[float], deviations: float, factor: float) -> list[bool]:
    """The rates that lie further from their median than by both limits; none with fewer than FEWEST_BLOCKS.

    Args:
        deviations: on the logarithm, in standard deviations, which are estimated from the median absolute deviation.
        factor: of the median, up or down.
    """
    if len(rates) < FEWEST_BLOCKS:
        return [False] * len(rates)
    distances = _from_middle(rates)
    limit = max(math.log(factor), deviations * NORMAL_SPREAD * float(np.median(distances)))
    return [bool(distance > limit) for distance in distances]


def _from_middle(rates: Sequence[float]) -> NDArray[np.float64]:
    """How far each rate lies from their median, on the logarithm."""
    logs = np.log(np.asarray(rates, dtype=np.float64))
    distances: NDArray[np.float64] = np.abs(logs - np.median(logs))
    return distances


def seldom_by_chance(rates: Sequence[float], far: Sequence[bool], deviations: float, chance: float) -> bool:
    """Whether honest starts would be so far off in no more than a share `chance` of all conditions.

    Honest starts are taken to have tails as heavy as Student's t with 3 degrees of freedom. Two tests have half of the
    chance each: the furthest of the starts, by a scale that may be as large as it is once in twenty (Bonferroni over
    the starts); and the number of those that lie beyond `deviations` (Poisson).
    """
    distances = _from_middle(rates)
    starts, spread = len(rates), float(np.median(distances))
    typical = student_quantile(0.75, TAILS)
    beyond = 2 * float(student_above(np.array([deviations * NORMAL_SPREAD * typical]), TAILS)[0])
    if poisson_above(sum(far) - 1, beyond * starts) <= chance / 2 or spread == 0:
        return True
    scale = spread / typical * math.exp(ONE_SIDED * SCALE_ERROR / math.sqrt(starts))
    return 2 * starts * float(student_above(distances.max(keepdims=True) / scale, TAILS)[0]) <= chance / 2


def slower_group(rates: Sequence[float], factor: float) -> list[bool]:
    """The rates of the slower of two groups, where they fall into two; otherwise none.

    They do where the widest gap between two neighbours, on the logarithm, is wider than either group is, each group has
    at least FEWEST_IN_A_GROUP, and their medians are further apart than `factor`. The median absolute deviation does
    not see that: with every other start slow it is as wide as the gap.
    """
    logs = np.log(np.asarray(rates, dtype=np.float64))
    ordered = np.sort(logs)
    inner = range(FEWEST_IN_A_GROUP, len(ordered) - FEWEST_IN_A_GROUP + 1)
    if not inner:
        return [False] * len(rates)
    first = max(inner, key=lambda at: ordered[at] - ordered[at - 1])
    slow, fast = ordered[:first], ordered[first:]
    apart = fast[0] - slow[-1] > max(np.ptp(slow), np.ptp(fast))
    if not apart or np.median(fast) - np.median(slow) <= math.log(factor):
        return [False] * len(rates)
    return [bool(log <= slow[-1]) for log in logs]


def _outliers(trials: Sequence[TrialRecord], far: Sequence[bool]) -> str:
    typical = float(np.median([GOODPUT.read(trial) or 0.0 for trial in trials]))
    odd, others = _parted(trials, far)
    rates = ", ".join(f"{figure((GOODPUT.read(trial) or 0.0) / typical)} in trial {trial.index}" for trial in odd)
    return (
        f"{count(len(odd), 'start')} of {len(trials)} had another goodput than a typical one, by these factors: "
        f"{rates}{_cost(odd, others)}"
    )


def _two_groups(trials: Sequence[TrialRecord], are_slow: Sequence[bool]) -> str:
    slow, fast = _parted(trials, are_slow)
    of_slow, of_fast = (float(np.median([GOODPUT.read(trial) or 0.0 for trial in each])) for each in (slow, fast))
    return (
        f"the starts fall into two groups: {len(slow)} of {len(trials)} had {figure(of_slow / of_fast)} times the "
        f"goodput of the others, in trials {', '.join(str(trial.index) for trial in slow)}{_cost(slow, fast)}"
    )


def _parted(trials: Sequence[TrialRecord], which: Sequence[bool]) -> tuple[list[TrialRecord], list[TrialRecord]]:
    """Those of `which`, and the others."""
    pairs = list(zip(trials, which, strict=True))
    return [trial for trial, inside in pairs if inside], [trial for trial, inside in pairs if not inside]


def _cost(odd: Sequence[TrialRecord], others: Sequence[TrialRecord]) -> str:
    """Whether these starts did more work for a request, or waited more; empty where it was not measured."""
    costs = [[cost for trial in each if (cost := COST.read(trial))] for each in (odd, others)]
    if not all(costs):
        return ""
    of_odd, of_others = (float(np.median(each)) for each in costs)
    return f"; their processor time for a request was {figure(of_odd / of_others)} times that of the others"
