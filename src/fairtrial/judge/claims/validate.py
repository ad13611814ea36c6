"""Refuses claims of an experiment file that contradict the metrics, the requests or the sweep."""

from collections.abc import Callable, Sequence

from fairtrial.base.registry import did_you_mean, instead_of
from fairtrial.base.units import BaseUnit, Quantity, quantity_of, symbols_of
from fairtrial.experiment.claims import BudgetClaim, Claim, DifferenceClaim, MetricClaim, ShapeClaim
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.value import Value, format_value
from fairtrial.judge.claims.shape import assert_points
from fairtrial.judge.metrics import CAPACITY, OVERHEAD, Metric, find_metric
from fairtrial.record.model import ExperimentRecord, TrialRecord

RequestNames = Callable[[Value | None], Sequence[str] | None]
"""The names of the requests at a value of the sweep (None: there is no sweep); None if they are not known."""


def validate_claim(claim: Claim, experiment: Experiment, requests: RequestNames = lambda _value: None) -> None:
    """Require that a claim of an experiment file makes sense beyond what its model checks.

    Records are not held to this: those from before bounds had units are judged as they are.

    Raises:
        ValueError: an unknown metric, one that means nothing under the load, a request that is not sent, a bound
            without a unit or in one that does not fit the metric, a sweep without the points of a shape. The message
            names the claim and the remedy.
    """
    if not isinstance(claim, MetricClaim):
        return
    try:
        metric = find_metric(claim.metric, claim.request)
        if isinstance(claim, BudgetClaim | DifferenceClaim):
            _assert_units(claim, metric)
        _assert_measured(claim, metric, experiment)
        _assert_sent(claim, experiment, requests)
    except ValueError as error:
        raise ValueError(f"claims: {claim.id!r}: {error}") from None
    if isinstance(claim, ShapeClaim):
        assert_points(claim, experiment)


def _assert_units(claim: BudgetClaim | DifferenceClaim, metric: Metric) -> None:
    for key, bound in claim.bounds.items():
        what = f"{key}: {metric.name} is {quantity_of(metric.unit)}"
        if not isinstance(bound, Quantity):
            raise ValueError(f"{what}: write {_examples(bound, metric.unit)}, not {bound:g}")
        if bound.unit.base != metric.unit:
            raise ValueError(f"{what}: write it in {symbols_of(metric.unit)}, not {str(bound)!r}")


def _examples(number: float, base: BaseUnit) -> str:
    """Bounds with units that a bare number may have meant."""
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
        raise ValueError(f"there is no {metric.name}{instead_of(metric.name, objectives)}")
    if metric.name == OVERHEAD and claim.baseline is None:
        raise ValueError(f"the metric {OVERHEAD} needs a baseline")
    if metric.name != OVERHEAD and claim.baseline is not None:
        raise ValueError(f"the metric {metric.name} has no baseline: only {OVERHEAD} has one")


def _assert_sent(claim: MetricClaim, experiment: Experiment, requests: RequestNames) -> None:
    if claim.request is None:
        return
    points = [condition.at for condition in claim.needs()]
    for value in dict.fromkeys(experiment.points if claim.curves() else points):
        names = requests(value)
        if names is None or claim.request in names:
            continue
        where = experiment.workload_name if value is None else f"{experiment.workload_name} at {format_value(value)}"
        if not names:
            raise ValueError(f"request: a job of {where} sends no requests: leave `request` out")
        hint = did_you_mean(claim.request, names)
        raise ValueError(f"request: {where} sends no {claim.request!r}{hint}; it sends {', '.join(names)}")


def recorded_requests(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> RequestNames:
    """The names of the requests that a record holds, whether or not its workload is known."""
    values = {condition.id: condition.at for condition in record.conditions}
    names: dict[Value | None, dict[str, None]] = {}
    for trial in trials:
        if trial.engine is not None:
            shares = trial.engine.mix
            names.setdefault(values[trial.condition], {}).update((share.name, None) for share in shares)
    return lambda value: list(names.get(value, ())) or None
