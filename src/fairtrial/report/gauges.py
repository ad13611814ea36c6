"""A result as gauges with labels, for what watches systems: Prometheus and OpenTelemetry have the same ones.

What was refused or not measured has no gauge, as a value of 0 would be a lie. Names follow Prometheus' conventions:
base units, the unit last, `ratio` for a share.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import get_args

from fairtrial.base.units import BaseUnit
from fairtrial.experiment.value import format_value
from fairtrial.judge.metrics import CAPACITY, find_metric
from fairtrial.judge.model import Outcome, Result
from fairtrial.judge.statistics.equivalence import Verdict
from fairtrial.report.columns import FIGURES_AT
from fairtrial.report.rows import ResultFigure, figures_of

Labels = Mapping[str, str]
_UCUM: Mapping[BaseUnit, str] = {"seconds": "s", "bytes": "By", "per_second": "{request}/s", "share": "1"}
"""The units of the Unified Code for Units of Measure, in which OpenTelemetry has them."""


@dataclass
class Gauge:
    """A figure with one value for each set of labels."""

    name: str
    meaning: str
    ucum_unit: str
    points: list[tuple[Labels, float]] = field(default_factory=list)


STATES = {
    "fairtrial_condition_outcome": "1 for the outcome that the condition has, 0 for the others",
    "fairtrial_claim_verdict": "1 for the verdict of the claim, 0 for the others",
    "fairtrial_run_start_timestamp_seconds": "when the run began",
    "fairtrial_run_blocks": "the blocks in which every condition that could run was tried",
}
"""The gauges beside the figures, and their meanings."""


def gauges_of(result: Result) -> list[Gauge]:
    """The gauges of a result: figures over blocks with their intervals, outcomes, verdicts, and when it was."""
    gauges: dict[str, Gauge] = {}

    def add(name: str, meaning: str, unit: str, labels: Labels, value: float) -> None:
        gauges.setdefault(name, Gauge(name, meaning, unit)).points.append((labels, value))

    for figure in figures_of(result):
        if figure.block is None and figure.value is not None:
            for end, meaning, value in _ends(figure):
                add(gauge_name(figure.metric, end), meaning, _UCUM[figure.unit], _labels(figure), value)
    experiment = {"experiment": result.name}
    for condition in result.conditions:
        of_condition = experiment | {"condition": condition.id, "contender": condition.contender}
        for outcome in get_args(Outcome):
            name, is_it = "fairtrial_condition_outcome", float(outcome == condition.outcome)
            add(name, STATES[name], "1", of_condition | {"outcome": outcome}, is_it)
    for claim in result.claims:
        for verdict in get_args(Verdict):
            name, is_it = "fairtrial_claim_verdict", float(verdict == claim.verdict)
            add(name, STATES[name], "1", experiment | {"claim": claim.id, "verdict": verdict}, is_it)
    start = datetime.fromisoformat(result.started_at).timestamp()
    for name, unit, number in (
        ("fairtrial_run_start_timestamp_seconds", "s", start),
        ("fairtrial_run_blocks", "{block}", float(result.blocks_complete)),
    ):
        add(name, STATES[name], unit, experiment, number)
    return list(gauges.values())


def gauge_name(metric: str, end: str = "") -> str:
    """The name of a metric's gauge, or of one `end` of its interval: `fairtrial_goodput_lower_per_second`."""
    of = find_metric(metric)
    name, per, requests = of.name.partition(":")[0].partition("_per_1000_requests")
    parts = ["fairtrial", name, end, "ratio" if of.unit == "share" else of.unit]
    return re.sub(r"[^a-z0-9_]", "_", "_".join(filter(None, parts)) + per + requests)


def _ends(figure: ResultFigure) -> Iterator[tuple[str, str, float]]:
    """The value and the ends of its interval, each with its meaning. One that is open above ends at infinity."""
    meaning = find_metric(figure.metric).label
    assert figure.value is not None
    yield "", f"{meaning}, the median over blocks", figure.value
    if figure.lower is not None:
        upper = math.inf if figure.upper is None else figure.upper
        yield "lower", f"{meaning}, the lower end of its {FIGURES_AT} interval", figure.lower
        yield "upper", f"{meaning}, the upper end of its {FIGURES_AT} interval", upper


def _labels(figure: ResultFigure) -> Labels:
    labels = {
        "experiment": figure.experiment,
        "condition": figure.condition,
        "contender": figure.contender,
        "workload": figure.workload,
        "service": figure.service,
        "at": "" if figure.at is None else format_value(figure.at),
        "request": figure.request or "",
    }
    if figure.metric.startswith(f"{CAPACITY}:"):
        labels["objective"] = figure.metric.partition(":")[2]
    return {name: text for name, text in labels.items() if text}
