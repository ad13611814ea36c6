"""A remark on percentiles of closed loads that were measured at different rates.

A closed load sends as fast as it is answered, so that each contender's times are those of its own rate. A claim that
compares them compares the tails of two different loads.
"""

from statistics import median

from fairtrial.base.formatting import figure_in
from fairtrial.base.units import UNITS
from fairtrial.experiment.claims import DifferenceClaim, EqualClaim, OrderClaim, RatioClaim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.losses import goodput_by_block
from fairtrial.judge.metrics import find_metric, percentile_in
from fairtrial.judge.statistics.estimate import paired_ratio

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
