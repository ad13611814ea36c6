"""Goodput along a sweep, as a Vega-Lite specification whose data are in it."""

from collections.abc import Sequence
from typing import Any

from fairtrial.experiment.value import shown
from fairtrial.judge.model import Result
from fairtrial.report.vega import Spec, chart, coloured

Y: Spec = {"type": "quantitative", "axis": {"title": "verified answers per second", "tickCount": 5}}
FROM_ZERO: Spec = {"scale": {"zero": True}}
LONGEST_LEVEL_LABELS = 60
"""Characters of all categories together: beyond, they would overlap if they were written level."""


def curve_chart(result: Result) -> Spec | None:
    """Over numbers a line and a band for each stack; over categories, between which there is nothing, points and bands
    side by side. None without a sweep."""
    values = list(dict.fromkeys(at for curve in result.curves for at in curve.at))
    numbers = sorted(at for at in values if not isinstance(at, bool | str))
    over_numbers = len(numbers) == len(values)
    points: list[dict[str, Any]] = [
        {"stack": curve.stack, "at": at if over_numbers else shown(at), "goodput": found.estimate}
        | {"low": found.interval[0] if found.interval else None, "high": found.interval[1] if found.interval else None}
        for curve in result.curves
        for at, found in zip(curve.at, curve.goodput_per_second, strict=True)
        if found is not None
    ]
    if not points:
        return None
    title = result.curves[0].title
    stacks = [curve.stack for curve in result.curves]
    tooltip = [
        {"field": "stack"},
        {"field": "at", "title": title},
        {"field": "goodput", "format": ",.0f", "title": "goodput/s"},
        {"field": "low", "format": ",.0f", "title": "interval from"},
        {"field": "high", "format": ",.0f", "title": "to"},
    ]
    if not over_numbers:
        return _categories(points, _in_the_files_order(result), title, stacks, tooltip)
    x = {
        "field": "at",
        "type": "quantitative",
        "scale": {"type": "log" if numbers[0] > 0 and numbers[-1] / numbers[0] >= 8 else "linear", "zero": False},
        "axis": {"title": title, "values": numbers, "format": "~g"},
    }
    colour = coloured(stacks, "stack")
    return chart(
        height=300,
        data={"values": points},
        layer=[
            {
                "mark": {"type": "area", "opacity": 0.15},
                "encoding": {"x": x, "y": Y | {"field": "low"}, "y2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "line", "point": {"size": 36}, "strokeWidth": 2},
                "encoding": {"x": x, "y": Y | {"field": "goodput"}, "color": colour, "tooltip": tooltip},
            },
        ],
    )


def _in_the_files_order(result: Result) -> list[str]:
    """The categories, those at which nothing is valid among them: their place stays empty."""
    return list(dict.fromkeys(shown(one.at) for one in result.conditions if one.at is not None))


def _categories(
    points: Sequence[dict[str, Any]],
    categories: Sequence[str],
    title: str,
    stacks: Sequence[str],
    tooltip: Sequence[dict[str, str]],
) -> Spec:
    level = sum(map(len, categories)) <= LONGEST_LEVEL_LABELS
    x = {
        "field": "at",
        "type": "ordinal",
        "scale": {"domain": list(categories)},
        "axis": {"title": title, "labelAngle": 0 if level else -30},
    }
    shared = {
        "x": x,
        "xOffset": {"field": "stack", "type": "nominal", "scale": {"domain": list(stacks)}},
        "color": coloured(stacks, "stack"),
    }
    return chart(
        height=300,
        data={"values": list(points)},
        layer=[
            {
                "mark": {"type": "rule", "opacity": 0.25, "strokeWidth": 12},
                "encoding": {**shared, "y": Y | FROM_ZERO | {"field": "low"}, "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {**shared, "y": Y | FROM_ZERO | {"field": "goodput"}, "tooltip": list(tooltip)},
            },
        ],
    )
