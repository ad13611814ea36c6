"""Goodput along a sweep, as a Vega-Lite specification that contains its data."""

from collections.abc import Sequence
from typing import Any

from fairtrial.experiment.value import format_value
from fairtrial.judge.model import Result
from fairtrial.report.vega import Spec, chart, coloured

Y: Spec = {"type": "quantitative", "axis": {"title": "verified answers per second", "tickCount": 5}}
FROM_ZERO: Spec = {"scale": {"zero": True}}
MOST_HORIZONTAL_CHARACTERS = 60
"""With more characters in all categories together, horizontal labels would overlap."""


def curve_chart(result: Result) -> Spec | None:
    """Goodput of each stack at each value of the sweep. None without a sweep.

    Over numbers, a stack is a line with a band; over categories, it is a point with a band at each, beside those of the
    other stacks, because there is nothing between two categories.
    """
    values = list(dict.fromkeys(at for curve in result.curves for at in curve.at))
    numbers = sorted(at for at in values if not isinstance(at, bool | str))
    over_numbers = len(numbers) == len(values)
    points: list[dict[str, Any]] = [
        {"stack": curve.stack, "at": at if over_numbers else format_value(at), "goodput": goodput.estimate}
        | dict(zip(("low", "high"), goodput.interval or (None, None), strict=True))
        for curve in result.curves
        for at, goodput in zip(curve.at, curve.goodput_per_second, strict=True)
        if goodput is not None
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
        return _categories_chart(points, _categories(result), title, stacks, tooltip)
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


def _categories(result: Result) -> list[str]:
    """All categories in the order of the file. One without a valid condition is among them: its place stays empty."""
    return list(
        dict.fromkeys(format_value(condition.at) for condition in result.conditions if condition.at is not None)
    )


def _categories_chart(
    points: Sequence[dict[str, Any]],
    categories: Sequence[str],
    title: str,
    stacks: Sequence[str],
    tooltip: Sequence[dict[str, str]],
) -> Spec:
    horizontal = sum(map(len, categories)) <= MOST_HORIZONTAL_CHARACTERS
    x = {
        "field": "at",
        "type": "ordinal",
        "scale": {"domain": list(categories)},
        "axis": {"title": title, "labelAngle": 0 if horizontal else -30},
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
