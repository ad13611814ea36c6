"""The frame of every chart: a Vega-Lite specification whose data are in it.

Neutral ink is `currentColor` and marks take custom properties of the style sheet, so that light, dark and
print need no other charts.
"""

from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]

SERIES = [f"var(--series-{number})" for number in range(1, 9)]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
CONFIG: Spec = {
    "background": None,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelOpacity": 0.85,
        "titleOpacity": 0.7,
        "gridColor": "currentColor",
        "gridOpacity": 0.12,
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
    },
    "legend": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "labelFontSize": 12,
        "orient": "top",
        "columns": 3,
        "symbolType": "stroke",
        "symbolStrokeWidth": 3,
        "symbolSize": 160,
        "labelLimit": 220,
    },
    "header": {"labelColor": "currentColor", "labelFontSize": 12, "labelAnchor": "start", "labelFontWeight": "bold"},
}


def chart(**parts: Any) -> Spec:
    """A specification as wide as its place, with these parts."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": CONFIG,
        **parts,
    }


def round_values(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, … from `low` to `high`; powers of ten alone where that would be many."""
    steps = (1,) if high / low > 300 else (1, 2, 5)
    values = [step * 10.0**power for power in range(-6, 9) for step in steps]
    return [value for value in values if low / 1.15 <= value <= high * 1.15]


def milliseconds_axis(values: Sequence[float], field: str = "milliseconds") -> Spec:
    """A logarithmic y axis over times in milliseconds, with a little room below the shortest and above the longest."""
    shortest, longest = min(values), max(values)
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "domain": [shortest / 1.15, longest * 1.15], "nice": False},
        "axis": {"title": "ms, logarithmic", "values": round_values(shortest, longest), "format": "~g"},
    }


def coloured(names: Sequence[str], field: str = "contender") -> Spec:
    """The colour of a mark by its name, and the legend."""
    colours = [SERIES[place % len(SERIES)] for place in range(len(names))]
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": list(names), "range": colours},
        "legend": {"title": None},
    }
