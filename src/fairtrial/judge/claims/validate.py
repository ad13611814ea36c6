"""Refuses claims of an experiment file that contradict the metrics, the requests or the sweep."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairtrial.base.registry import did_you_mean, instead_of
from fairtrial.base.units import BaseUnit, Quantity, quantity_of, symbols_of
from fairtrial.experiment.claims import BudgetClaim, Claim, DifferenceClaim, MetricClaim, ShapeClaim
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.value import Value, format_value
from fairtrial.judge.claims.shape import assert_points
from fairtrial.judge.metrics import CAPACITY, OVERHEAD, Metric, find_metric
from fairtrial.record.model import ExperimentRecord, TrialRecord


@dataclass(frozen=True)
class SentNames:
    """The names of the requests that are sent, none of them by a job, and of the journeys of which some are steps."""

    requests: Sequence[str] = ()
    journeys: Sequence[str] = ()


NamesAt = Callable[[Value | None], SentNames | None]
"""The names at a value of the sweep (None: there is no sweep); None if they are not known."""


def validate_claim(
    claim: Claim, experiment: Experiment, names_at: NamesAt = lambda _value: None, key: str | None = None
) -> None:
    """Require that a claim of an experiment file makes sense beyond what its model checks.

    Records are not held to this: those from before bounds had units are judged as they are.

    Args:
        key: what stands at fault in the file, in place of the claim.

    Raises:
        ValueError: an unknown metric, one that means nothing under the load, a request or a journey that is not sent, a
            bound without a unit or in one that does not fit the metric, a sweep without the points of a shape. The
            message names the claim and the remedy.
    """
    if not isinstance(claim, MetricClaim):
        return
    try:
        metric = find_metric(claim.metric, claim.request)
        if isinstance(claim, BudgetClaim | DifferenceClaim):
            _assert_units(claim, metric)
        _assert_measured(claim, metric, experiment)
        _assert_sent(claim, metric, experiment, names_at)
    except ValueError as error:
        raise ValueError(f"{key or f'claims: {claim.id!r}'}: {error}") from None
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


def _assert_sent(claim: MetricClaim, metric: Metric, experiment: Experiment, names_at: NamesAt) -> None:
    if claim.request is None and metric.read_journey is None:
        return
    points = [condition.at for condition in claim.needs()]
    for value in dict.fromkeys(experiment.points if claim.curves() else points):
        names = names_at(value)
        if names is None:
            continue
        where = experiment.workload_name if value is None else f"{experiment.workload_name} at {format_value(value)}"
        if metric.read_journey is not None:
            _assert_journey(claim, names.journeys, where)
        elif claim.request is not None and claim.request not in names.requests:
            if not names.requests:
                raise ValueError(f"request: a job of {where} sends no requests: leave `request` out")
            hint = did_you_mean(claim.request, names.requests)
            raise ValueError(f"request: {where} sends no {claim.request!r}{hint}; it sends {', '.join(names.requests)}")


def _assert_journey(claim: MetricClaim, journeys: Sequence[str], where: str) -> None:
    """Raise a ValueError unless the claim is of a journey that there is, or there is just one."""
    if not journeys:
        raise ValueError(f"metric: {where} has no journeys, which {claim.metric} is of")
    if claim.request is None and len(journeys) > 1:
        raise ValueError(f"request: {claim.metric} is of one journey: name one: {', '.join(journeys)}")
    if claim.request is not None and claim.request not in journeys:
        raise ValueError(
            f"request: {where} has no journey {claim.request!r}{did_you_mean(claim.request, journeys)}; there are "
            f"{', '.join(journeys)}"
        )


def recorded_names(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> NamesAt:
    """The names that a record holds, whether or not its workload is known."""
    values = {condition.id: condition.at for condition in record.conditions}
    names: dict[Value | None, SentNames] = {}
    for trial in trials:
        if trial.engine is not None and trial.engine.mix:
            before = names.get(values[trial.condition], SentNames())
            requests = [*before.requests, *(share.name for share in trial.engine.mix)]
            journeys = [*before.journeys, *(journey.name for journey in trial.engine.journeys)]
            names[values[trial.condition]] = SentNames(list(dict.fromkeys(requests)), list(dict.fromkeys(journeys)))
    return names.get
