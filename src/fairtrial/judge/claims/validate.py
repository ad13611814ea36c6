"""What an experiment file may claim, as far as it takes the metrics and the sweep to know."""

from fairtrial.base.units import BaseUnit, Quantity, kind_of, symbols_of
from fairtrial.experiment.claims import BudgetClaim, Claim, DifferenceClaim, MetricClaim, ShapeClaim
from fairtrial.experiment.model import Experiment
from fairtrial.judge.claims.shape import assert_points
from fairtrial.judge.metrics import CAPACITY, OVERHEAD, Metric, find_metric


def validate_claim(claim: Claim, experiment: Experiment) -> None:
    """Require that a claim of an experiment file makes sense beyond what its model checks.

    Records are not held to this: those from before bounds had units are judged as they are.

    Raises:
        ValueError: an unknown metric, one that means nothing under the load, a bound without a unit or in one that
            does not fit the metric, a sweep without the points of a shape. The message names the claim and the remedy.
    """
    if not isinstance(claim, MetricClaim):
        return
    try:
        metric = find_metric(claim.metric)
        if isinstance(claim, BudgetClaim | DifferenceClaim):
            _assert_units(claim, metric)
        _assert_measured(claim, metric, experiment)
    except ValueError as error:
        raise ValueError(f"claims: {claim.id!r}: {error}") from None
    if isinstance(claim, ShapeClaim):
        assert_points(claim, experiment)


def _assert_units(claim: BudgetClaim | DifferenceClaim, metric: Metric) -> None:
    for key, bound in claim.bounds.items():
        what = f"{key}: {metric.name} is {kind_of(metric.unit)}"
        if not isinstance(bound, Quantity):
            raise ValueError(f"{what}: write {_examples(bound, metric.unit)}, not {bound:g}")
        if bound.unit.base != metric.unit:
            raise ValueError(f"{what}: write it in {symbols_of(metric.unit)}, not {str(bound)!r}")


def _examples(number: float, base: BaseUnit) -> str:
    """What a bare number may have meant."""
    return {
        "seconds": f'"{number:g} ms" or "{number:g} s"',
        "bytes": f'"{number:g} bytes" or "{number:g} MiB"',
        "per_second": f'"{number:g}/s"',
        "share": f'"{number:g}%" or "{100 * number:g}%"',
    }[base]


def _assert_measured(claim: MetricClaim, metric: Metric, experiment: Experiment) -> None:
    load = experiment.load
    if not metric.fits(load):
        kinds = ", ".join(sorted(metric.loads or ()))
        raise ValueError(f"{metric.name} is measured only under loads of kind {kinds}")
    objectives = [f"{CAPACITY}:{objective.name}" for objective in load.objectives] if load.kind == "capacity" else []
    if metric.name.startswith(f"{CAPACITY}:") and metric.name not in objectives:
        raise ValueError(f"there is no {metric.name}; there are {', '.join(objectives)}")
    if metric.name == OVERHEAD and claim.baseline is None:
        raise ValueError(f"the metric {OVERHEAD} needs a baseline")
    if metric.name != OVERHEAD and claim.baseline is not None:
        raise ValueError(f"the metric {metric.name} has no baseline: only {OVERHEAD} has one")
