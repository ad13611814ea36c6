"""Claims and their verdicts: one file per kind, and a line for it in `KINDS`."""

from collections.abc import Callable, Mapping
from typing import Any

from fairtrial.experiment.claims import Claim, OfMetric, ShapeClaim
from fairtrial.experiment.model import Experiment
from fairtrial.judge.claims import budget, difference, equal, order, property, ratio, shape
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.metrics import CAPACITY, OVERHEAD, find_metric
from fairtrial.judge.model import ClaimResult

__all__ = ["judge_claim", "validate_claim"]

KINDS: Mapping[str, Callable[[Any, Evidence], ClaimResult]] = {
    "ratio": ratio.judge,
    "difference": difference.judge,
    "order": order.judge,
    "equal": equal.judge,
    "shape": shape.judge,
    "budget": budget.judge,
    "property": property.judge,
}


def judge_claim(claim: Claim, evidence: Evidence) -> ClaimResult:
    """The verdict on `claim`, with the sentence that can be quoted."""
    return KINDS[claim.kind](claim, evidence)


def validate_claim(claim: Claim, experiment: Experiment) -> None:
    """Say what the model cannot know is wrong with a claim.

    Raises:
        ValueError: an unknown metric, with the allowed ones, or one that means nothing under the load.
    """
    if not isinstance(claim, OfMetric):
        return
    try:
        metric = find_metric(claim.metric)
    except ValueError as error:
        raise ValueError(f"claims: {claim.id!r} speaks of {error}") from None
    if isinstance(claim, ShapeClaim):
        shape.assert_points(claim, experiment)
    load = experiment.load
    if not metric.fits(load):
        kinds = ", ".join(sorted(metric.loads or ()))
        raise ValueError(f"claims: {claim.id!r} speaks of {metric.name}, which is measured under these loads: {kinds}")
    objectives = [f"{CAPACITY}:{one.name}" for one in load.objectives] if load.kind == "capacity" else []
    if metric.name.startswith(f"{CAPACITY}:") and metric.name not in objectives:
        raise ValueError(f"claims: {claim.id!r} speaks of {metric.name}; there are {', '.join(objectives)}")
    if (metric.name == OVERHEAD) != (claim.baseline is not None):
        needs = "needs a baseline" if claim.baseline is None else "has no baseline: only overhead has one"
        raise ValueError(f"claims: {claim.id!r}: the metric {metric.name} {needs}")
