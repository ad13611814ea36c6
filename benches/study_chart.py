"""The picture of a study's page: ratios as they were published, and as they were measured."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import vl_convert

from fairtrial.judge.statistics.equivalence import Verdict

COLOURS = {"upheld": "#1a7f4b", "refuted": "#b3261e", "equal": "#2f63b5", "undecided": "#6b7280"}
PUBLISHED = "#b07d1a"
LONG_NUMBER = re.compile(r"\d+\.\d{4,}")


@dataclass(frozen=True)
class Ratio:
    """One line of the picture."""

    text: str
    published: float | None
    estimate: float
    interval: tuple[float, float]
    verdict: Verdict


def chart_svg(ratios: Sequence[Ratio]) -> str:
    """Each ratio as a dot with its interval, in the colour of its verdict, and a diamond where it was published.

    The last digits of a logarithm differ from processor to processor: coordinates have three decimals.
    """
    rows = [
        {
            "claim": ratio.text,
            "published": ratio.published,
            "ratio": ratio.estimate,
            "low": ratio.interval[0],
            "high": ratio.interval[1],
            "verdict": ratio.verdict,
        }
        for ratio in ratios
    ]
    svg = vl_convert.vegalite_to_svg(_specification(rows))
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.3f}", svg)


def _specification(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    axis = {"title": None, "labelLimit": 460, "grid": True}
    y = {"field": "claim", "type": "nominal", "sort": None, "axis": axis}
    x = {
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {
            "title": "ratio: published (diamond), measured (dot, interval)",
            "format": "~g",
            "tickCount": 6,
        },
    }
    colours = {verdict: COLOURS[verdict] for verdict in COLOURS if any(row["verdict"] == verdict for row in rows)}
    colour = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": list(colours), "range": list(colours.values())},
        "legend": {"title": "the claim is", "orient": "bottom"},
    }
    diamond = {"type": "point", "shape": "diamond", "filled": True, "size": 110, "color": PUBLISHED}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "white",
        "padding": {"left": 64, "top": 5, "right": 10, "bottom": 5},  # a viewer's font may be wider than the one here
        "data": {"values": list(rows)},
        "width": 340,
        "height": {"step": 26},
        "layer": [
            {"mark": {"type": "rule", "strokeDash": [4, 4], "color": "#555"}, "encoding": {"x": {"datum": 1}}},
            {
                "mark": {"type": "rule", "strokeWidth": 3},
                "encoding": {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 60},
                "encoding": {"y": y, "x": x | {"field": "ratio"}, "color": colour},
            },
            {
                "transform": [{"filter": "datum.published != null"}],
                "mark": diamond,
                "encoding": {"y": y, "x": x | {"field": "published"}},
            },
        ],
    }
