"""Remarks on percentiles of closed loads: that were measured at different rates, or that mean times do not bear out.

A closed load sends as fast as it is answered, so that each contender's times are those of its own rate. A claim that
compares them compares the tails of two different loads.

In which order a server answers changes percentiles: whom it passes over for some milliseconds waits longer, and is
counted seldom. It does not change the mean time, which is the number of connections over the rate (Little's law).
"""

import math
from statistics import median

from fairtrial.base.formatting import figure, figure_in
from fairtrial.base.units import UNITS, readable_unit
from fairtrial.experiment.claims import DifferenceClaim, EqualClaim, OrderClaim, RatioClaim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.losses import goodput_by_block
from fairtrial.judge.metrics import find_metric, percentile_in
from fairtrial.judge.metrics.metric import times_behind
from fairtrial.judge.statistics.estimate import paired_ratio

HIGHEST = 90.0
"""Above it, percentiles are of few requests, and no mean bears them out."""

ALIKE = 1.1
"""Rates whose ratio may lie within this factor either way are alike. This project's choice."""


def closed_rates(claim: object, evidence: Evidence) -> list[str]:
    """A sentence where the claim compares percentiles of closed loads whose rates are proven to differ; else none."""
    if not isinstance(claim, RatioClaim | DifferenceClaim | EqualClaim | OrderClaim):
        return []
    if percentile_in(find_metric(claim.metric, claim.request).name) is None:
        return []
    references = list(claim.order) if isinstance(claim, OrderClaim) else [claim.of, claim.to]
    conditions = [evidence.condition(each) for each in references]
    if any(each.load.kind != "closed" for each in conditions):
        return []
    by_block = [goodput_by_block(list(evidence.of(each).values()), evidence.losses) for each in conditions]
    blocks = sorted(set.intersection(*map(set, by_block)))
    if not blocks:
        return []
    rates = [[rates[block] for block in blocks] for rates in by_block]
    typical = [median(each) for each in rates]
    slowest, fastest = typical.index(min(typical)), typical.index(max(typical))
    interval = paired_ratio(rates[fastest], rates[slowest], evidence.level).interval
    if interval is None or interval[0] <= ALIKE:
        return []
    rates_in_words = ", ".join(
        f"{reference} at {figure_in(rate, UNITS['/s'])}" for reference, rate in zip(references, typical, strict=True)
    )
    return [
        f"The load is closed, so that these times were measured at different rates ({rates_in_words}); an open "
        "load at one rate compares like with like."
    ]


def mean_times(claim: object, estimate: float, evidence: Evidence) -> list[str]:
    """A sentence where the ratio of a percentile of closed loads, the estimate, is within the claim's bounds, and that
    of mean times is beyond them; else none."""
    if not isinstance(claim, RatioClaim):
        return []
    metric = find_metric(claim.metric, claim.request)
    percentile = percentile_in(metric.name)
    sides = [evidence.condition(each) for each in (claim.of, claim.to)]
    if percentile is None or float(percentile[1]) > HIGHEST or any(each.load.kind != "closed" for each in sides):
        return []
    typical = []
    for each in sides:
        measured = [times_behind(metric, trial, percentile[0]) for trial in evidence.of(each).values()]
        means = [times.mean_seconds for times in measured if times is not None and times.mean_seconds]
        if not means:
            return []
        typical.append(median(means))
    ratio = typical[0] / typical[1]
    low, high = claim.range
    low, high = low or 0.0, math.inf if high is None else high
    if not low <= estimate <= high or low / ALIKE <= ratio <= high * ALIKE:
        return []
    means_in_words = " and ".join(figure_in(each, readable_unit("seconds", each)) for each in typical)
    return [
        f"Of the mean times, which the order of service does not change, the ratio is {figure(ratio)} "
        f"({means_in_words})."
    ]
