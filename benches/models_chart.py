"""The picture of experiments/studies/neverblock.md: ratios of concurrency models, by language and kind of work."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import vl_convert

from benches.kept_results import KeptClaim, KeptResult

CHART = Path(__file__).resolve().parent.parent / "docs" / "models.svg"

KINDS = {
    "models-waiting": "requests that wait",
    "models-tiny": "tiny queries",
    "models-cpu": "CPU-bound requests",
}
"""The experiments that try the same source under two models, and the kind of work that each asks for."""

COLOURS = {"upheld": "#1a7f4b", "refuted": "#b3261e", "equal": "#2f63b5", "undecided": "#6b7280"}


def chart_svg(results: Sequence[KeptResult]) -> str:
    """The ratio of goodput of each pair of models as a dot with its interval, one column for each kind of work."""
    rows = [
        {
            "kind": KINDS[result.experiment],
            "pair": pair(claim),
            "ratio": claim.estimate,
            "low": claim.interval[0],
            "high": claim.interval[1],
            "verdict": claim.verdict,
        }
        for result in results
        if result.experiment in KINDS
        for claim in result.claims
        if claim.subject.startswith("goodput of ") and claim.estimate is not None and claim.interval is not None
    ]
    return str(vl_convert.vegalite_to_svg(_specification(rows)))


def pair(claim: KeptClaim) -> str:
    """The two contenders of a ratio of goodput: `python-flask:gevent / python-flask`."""
    return claim.subject.replace("goodput of ", "")


def _specification(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    y = {"field": "pair", "type": "nominal", "axis": {"title": None, "labelLimit": 320, "grid": True}}
    x = {
        "type": "quantitative",
        "scale": {"type": "log", "nice": False, "padding": 8},
        "axis": {"title": "ratio of goodput", "values": [0.25, 0.5, 1, 2, 4], "format": "~g"},
    }
    colours = {verdict: COLOURS[verdict] for verdict in COLOURS if any(row["verdict"] == verdict for row in rows)}
    colour = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": list(colours), "range": list(colours.values())},
        "legend": {"title": "the claim is", "orient": "bottom"},
    }
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "white",
        "padding": {"left": 40, "top": 5, "right": 5, "bottom": 5},  # a viewer's font may be wider than the one here
        "data": {"values": list(rows)},
        "facet": {"column": {"field": "kind", "type": "nominal", "sort": list(KINDS.values()), "title": None}},
        "spec": {
            "width": 220,
            "height": {"step": 30},
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
            ],
        },
    }
