"""A flame graph as a Vega specification that contains its data: callers above, zoom by a click, and a search."""

from collections.abc import Mapping
from typing import Any

from fairtrial.record.folded_stacks import Stack
from fairtrial.report.profile.frames import laid_out, path_shares
from fairtrial.report.vega import FONT, SERIES, Spec

ROW_PIXELS = 18
USUAL_WIDTH_PIXELS = 900
LEAST_TEXT_PIXELS = 24
KERNEL = " [kernel]"
STRONGEST_DIFFERENCE = 0.1
"""Share of the samples by which a frame differs that is drawn in the full colour."""
MORE, LESS = "var(--refuted)", "var(--accent)"
PROGRAM_COLOUR, KERNEL_COLOUR = SERIES[1], SERIES[7]
SHADES = (0.35, 0.45, 0.55, 0.65)
"""Neighbours can be told apart."""


def flame_graph(stacks: Mapping[Stack, int], against: Mapping[Stack, int] | None = None) -> Spec | None:
    """The flame graph of these stacks; None without any.

    Args:
        against: those of another contender. Frames with a larger share than there are red, with a smaller one blue.
    """
    if not sum(stacks.values()) or (against is not None and not sum(against.values())):
        return None
    before = None if against is None else path_shares(against)
    frames = [_frame(each, before) for each in laid_out(stacks)]
    height = (1 + max(each["depth"] for each in frames)) * ROW_PIXELS
    width = f"isFinite(containerSize()[0]) && containerSize()[0] > 0 ? containerSize()[0] : {USUAL_WIDTH_PIXELS}"
    return {
        "$schema": "https://vega.github.io/schema/vega/v6.json",
        "height": height,
        "padding": 0,
        "autosize": "none",
        "signals": [
            {"name": "width", "init": width, "on": [{"events": "window:resize", "update": width}]},
            {
                "name": "zoom",
                "value": [0, 1],
                "on": [{"events": "@frame:click", "update": "[datum.begins, datum.ends]"}],
            },
            {"name": "search", "value": "", "bind": {"input": "text", "name": "search ", "autocomplete": "off"}},
        ],
        "data": [
            {
                "name": "frames",
                "values": frames,
                "transform": [{"type": "filter", "expr": "datum.ends > zoom[0] && datum.begins < zoom[1]"}],
            }
        ],
        "scales": [
            {
                "name": "x",
                "type": "linear",
                "domain": {"signal": "zoom"},
                "range": "width",
                "clamp": True,
                "zero": False,
            }
        ],
        "marks": [_boxes(), _names()],
    }


def _frame(span: Any, before: Mapping[Stack, float] | None) -> dict[str, Any]:
    share = span.ends - span.begins
    frame = {
        "name": span.name,
        "begins": round(span.begins, 6),
        "ends": round(span.ends, 6),
        "depth": span.depth,
        "shown": f"{span.name}: {share:.1%} of the samples, {span.self_share:.1%} in itself",
        "colour": KERNEL_COLOUR if span.name.endswith(KERNEL) else PROGRAM_COLOUR,
        "shade": SHADES[sum(map(ord, span.name)) % len(SHADES)],
    }
    if before is not None:
        was = before.get(span.path, 0.0) if span.path else 1.0
        more = share - was
        frame["shown"] += f"; {was:.1%} there"
        frame["colour"] = MORE if more > 0 else LESS
        frame["shade"] = round(0.08 + 0.8 * min(1.0, abs(more) / STRONGEST_DIFFERENCE), 3)
    return frame


def _boxes() -> dict[str, Any]:
    matches = "indexof(lower(datum.name), lower(search)) >= 0"
    return {
        "type": "rect",
        "name": "frame",
        "description": "calls, each as wide as its share of the samples",
        "from": {"data": "frames"},
        "encode": {
            "enter": {"height": {"value": ROW_PIXELS - 1}, "cursor": {"value": "pointer"}},
            "update": {
                "x": {"scale": "x", "field": "begins"},
                "x2": {"scale": "x", "field": "ends"},
                "y": {"field": "depth", "mult": ROW_PIXELS},
                "fill": {"field": "colour"},
                "fillOpacity": [{"test": f"search && !({matches})", "value": 0.06}, {"field": "shade"}],
                "stroke": {"value": "var(--card)"},
                "strokeWidth": {"value": 0.5},
                "tooltip": {"field": "shown"},
            },
        },
    }


def _names() -> dict[str, Any]:
    wide = "scale('x', datum.ends) - scale('x', datum.begins)"
    return {
        "type": "text",
        "from": {"data": "frames"},
        "interactive": False,
        "encode": {
            "enter": {
                "fill": {"value": "currentColor"},
                "font": {"value": FONT},
                "fontSize": {"value": 11},
                "baseline": {"value": "middle"},
                "dx": {"value": 3},
            },
            "update": {
                "x": {"scale": "x", "field": "begins"},
                "y": {"field": "depth", "mult": ROW_PIXELS, "offset": ROW_PIXELS / 2},
                "text": {"signal": f"{wide} < {LEAST_TEXT_PIXELS} ? '' : datum.name"},
                "limit": {"signal": f"max(1, {wide} - 6)"},
            },
        },
    }
