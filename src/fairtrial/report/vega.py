"""The common parts of all charts: the configuration, scales, colours and legends of Vega-Lite specifications.

Text and grid have the colour `currentColor`, and marks have custom properties of the style sheet, so that the same
chart fits light and dark screens and print.
"""

from collections.abc import Sequence
from typing import Any

Spec = dict[str, Any]

SERIES = [f"var(--series-{number})" for number in range(1, 9)]
LONGEST_LABEL_PIXELS = 220
LETTER_PIXELS = 7.5
SYMBOL_PIXELS = 40
"""A legend's stroke and the gap to the next entry."""
Y_AXIS_PIXELS = 60
"""Title and labels of the y axis, at most."""

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
        "labelSeparation": 8,
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
        "labelLimit": LONGEST_LABEL_PIXELS,
    },
    "header": {"labelColor": "currentColor", "labelFontSize": 12, "labelAnchor": "start", "labelFontWeight": "bold"},
}


def chart(**parts: Any) -> Spec:
    """A specification with these parts, as wide as the element that it is drawn in."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": CONFIG,
        **parts,
    }


def round_values(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, … from `low` to `high`; only powers of ten where these would be too many."""
    steps = (1,) if high / low > 300 else (1, 2, 5)
    values = [step * 10.0**power for power in range(-6, 9) for step in steps]
    return [value for value in values if low / 1.15 <= value <= high * 1.15]


def milliseconds_axis(values: Sequence[float]) -> Spec:
    """A logarithmic y axis over the field `milliseconds`, with a little room below the shortest and above the longest
    value."""
    shortest, longest = min(values), max(values)
    return {
        "field": "milliseconds",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [shortest / 1.15, longest * 1.15], "nice": False},
        "axis": {"title": "ms, logarithmic", "values": round_values(shortest, longest), "format": "~g"},
    }


def coloured(names: Sequence[str], field: str = "contender") -> Spec:
    """The colour of a mark by its name, with a legend."""
    colours = [SERIES[index % len(SERIES)] for index in range(len(names))]
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": list(names), "range": colours},
        "legend": legend(names),
    }


def legend(names: Sequence[str]) -> Spec:
    """A legend of at most three columns: as many as fit beside each other in the chart's place."""
    longest = max((len(name) for name in names), default=0)
    entry_pixels = min(longest * LETTER_PIXELS, LONGEST_LABEL_PIXELS) + SYMBOL_PIXELS
    # Not `width`: it changes while the chart is laid out, and the legend would grow out of its place.
    available = f"(containerSize()[0] - {Y_AXIS_PIXELS})"
    return {"title": None, "columns": {"expr": f"clamp(floor({available} / {entry_pixels:g}), 1, 3)"}}
