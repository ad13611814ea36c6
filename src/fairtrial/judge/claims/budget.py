"""A metric of one condition by itself, held against a budget."""

from fairtrial.base.formatting import bounded_below, capitalised, figure_in
from fairtrial.experiment.claims import BudgetClaim
from fairtrial.judge.claims.bounded import Measured, bounded_result, unit_for
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.longer_windows import windows_of
from fairtrial.judge.claims.share_of_starts import judge_share
from fairtrial.judge.claims.values import read_values
from fairtrial.judge.metrics import Metric, find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.estimate import Estimate, at_resolution
from fairtrial.judge.statistics.lower_bounds import over_blocks_bounded
from fairtrial.judge.statistics.share import share_interval


def judge(claim: BudgetClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a budget claim."""
    metric = find_metric(claim.metric, claim.request)
    values = read_values(claim, metric, [claim.of], evidence)
    figures = values.of(claim.of)
    estimate = None
    if figures and values.refused is None:
        estimate = over_blocks_bounded(figures, values.bounds_of(claim.of), evidence.level)
        estimate = at_resolution(estimate, values.resolution_of(claim.of))
    if estimate is not None:
        estimate = _as_count(estimate, claim, metric, evidence)
    unit = unit_for(claim, metric, estimate)
    if claim.of_starts is not None:
        return judge_share(claim, metric, values, evidence, unit, claim.of_starts)
    was = "" if estimate is None else bounded_below(figure_in(estimate.estimate, unit), estimate.is_lower_bound)
    return bounded_result(
        claim,
        Measured(
            values,
            estimate,
            unit,
            evidence,
            evidence.loads(claim.of),
            windows=windows_of(evidence, metric, values, claim.of),
        ),
        subject=f"{metric.label} {metric.preposition} {claim.of}",
        statement=f"{capitalised(metric.label)} {metric.preposition} {claim.of} was {was}",
        scope=" in a typical start",
        no_estimate="nothing was measured",
    )


def _as_count(estimate: Estimate, claim: BudgetClaim, metric: Metric, evidence: Evidence) -> Estimate:
    """The estimate of a share that is a count, with an interval no narrower than the number of requests allows.

    Of 3,000 requests without an error follows a share below 0.12%, and no less, though every block shows none. A bound
    of zero is about the requests that were sent, and is judged by them.
    """
    if metric.read_count is None or estimate.interval is None or claim.range[1] == 0:
        return estimate
    trials = evidence.of(evidence.condition(claim.of)).values()
    counts = [counted for trial in trials if (counted := metric.read_count(trial)) is not None]
    having, total = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0)
    if total == 0:
        return estimate
    low, high = share_interval(having, total, evidence.level)
    interval = min(low, estimate.interval[0]), max(high, estimate.interval[1])
    return estimate.model_copy(update={"interval": interval})
