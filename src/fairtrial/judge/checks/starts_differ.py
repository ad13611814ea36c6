"""Starts of one contender that fall apart: a few of them far slower, or faster, than a typical one.

Figures and claims are about a typical start. Whoever runs the stack also meets the others, and no median shows them.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from fairtrial.base.formatting import count, figure
from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.judge.metrics import METRICS
from fairtrial.record.model import TrialRecord

FEWEST_BLOCKS = 5
"""With fewer, the spread around the middle rests on one or two starts."""
NORMAL_SPREAD = 1.4826
"""Standard deviations of normal values for each median absolute deviation."""
GOODPUT, COST = METRICS["goodput"], METRICS["server_cpu_per_1000_requests"]


def examine(case: Case) -> Iterator[Finding]:
    """At most one finding for each condition, about the experiment."""
    for condition in case.record.conditions:
        trials = [trial for trial in case.trials if trial.condition == condition.id and GOODPUT.read(trial)]
        if any(trial.engine is not None and trial.engine.achieved_over_offered is not None for trial in trials):
            continue  # an open load sets the rate
        rates = [GOODPUT.read(trial) or 0.0 for trial in trials]
        far = far_from_middle(rates, case.thresholds["deviations"], case.thresholds["factor"])
        odd = [trial for trial, is_far in zip(trials, far, strict=True) if is_far]
        if odd:
            typical = float(np.median(rates))
            others = [trial for trial in trials if trial not in odd]
            named = ", ".join(
                f"{figure((GOODPUT.read(trial) or 0.0) / typical)} in trial {trial.index}" for trial in odd
            )
            yield case.finding(
                None,
                "warning",
                f"{condition.contender}: {count(len(odd), 'start')} of {len(trials)} had another goodput than a "
                f"typical one, by these factors: {named}{_cost(odd, others)}",
            )


def far_from_middle(rates: Sequence[float], deviations: float, factor: float) -> list[bool]:
    """Which of the rates lie further from their median than by both limits; none with fewer than FEWEST_BLOCKS.

    Args:
        deviations: on the logarithm, in standard deviations, which are estimated from the median absolute deviation.
        factor: of the median, up or down.
    """
    if len(rates) < FEWEST_BLOCKS:
        return [False] * len(rates)
    logs = np.log(np.asarray(rates, dtype=np.float64))
    distances = np.abs(logs - np.median(logs))
    limit = max(math.log(factor), deviations * NORMAL_SPREAD * float(np.median(distances)))
    return [bool(distance > limit) for distance in distances]


def _cost(odd: Sequence[TrialRecord], others: Sequence[TrialRecord]) -> str:
    """Whether these starts did more work for a request, or waited more; empty where it was not measured."""
    costs = [[cost for trial in each if (cost := COST.read(trial))] for each in (odd, others)]
    if not all(costs):
        return ""
    of_odd, of_others = (float(np.median(each)) for each in costs)
    return f"; their processor time for a request was {figure(of_odd / of_others)} times that of the others"


CHECK = Check(
    name="starts-differ",
    looks_at="goodput of the starts of a condition, under loads in which the server sets the rate",
    thresholds={
        "deviations": Threshold(
            3.5,
            "standard deviations",
            "the limit for outliers of B. Iglewicz and D. Hoaglin, How to Detect and Handle Outliers (1993), page 12, "
            "with the median absolute deviation as the measure of spread",
        ),
        "factor": Threshold(
            1.25,
            "of the typical goodput",
            "starts that lie close together reach 3.5 deviations by a difference that nobody would act on",
        ),
    },
    remedy="find what these starts have in common: connections that were spread unevenly over workers "
    "(uneven-connections, uneven-workers), a cache or a pool that they found cold, code that was compiled another way; "
    "to hold a budget over them, claim it with `of_starts`",
    examine=examine,
)
