"""The charts of a load's page: how response times are distributed, and how the load went over the window."""

import math
from typing import Any

from fairtrial.judge.metrics import supported_percentile
from fairtrial.record.engine_summary import Distribution
from fairtrial.record.histogram import Histogram
from fairtrial.report.vega import Spec, chart, coloured, legend, milliseconds_axis, round_values
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.figures import TABLE_PERCENTILES

BINS = 60
POINTS_PER_NINE = 12
"""Points of the percentile curve from 90% to 99%, from 99% to 99.9%, …"""
EXACT, LOWER_BOUND = "measured", "a lower bound"
FEWEST_SECONDS = 3
"""A chart over time needs this many whole seconds."""


def distribution_chart(measurement: Measurement) -> Spec | None:
    """How many response times lie where, on a logarithmic axis. None without answers."""
    times = measurement.response_times
    if not times.count:
        return None
    low, high = times.buckets[0].low_seconds, times.buckets[-1].high_seconds
    low = max(low, 1e-9)
    edges = [low * (high / low) ** (place / BINS) for place in range(BINS + 1)]
    counts = [times.count_up_to(edge) for edge in edges]
    bins = [
        {"from": edge * 1e3, "to": after * 1e3, "answers": upper - lower}
        for edge, after, lower, upper in zip(edges, edges[1:], counts, counts[1:], strict=False)
    ]
    x: Spec = {
        "type": "quantitative",
        "scale": {"type": "log", "domain": [low * 1e3, high * 1e3], "nice": False},
        "axis": {"title": "ms, logarithmic", "values": round_values(low * 1e3, high * 1e3), "format": "~g"},
    }
    return chart(
        height=260,
        data={"values": bins},
        mark={"type": "rect", "color": "var(--accent)", "stroke": "var(--card)", "strokeWidth": 0.5},
        encoding={
            "x": x | {"field": "from"},
            "x2": {"field": "to"},
            "y": {"field": "answers", "type": "quantitative", "axis": {"title": "answers", "tickCount": 5}},
            "y2": {"datum": 0},
            "tooltip": [
                {"field": "from", "format": ",.3~r", "title": "from ms"},
                {"field": "to", "format": ",.3~r", "title": "to ms"},
                {"field": "answers", "format": ","},
            ],
        },
    )


def tail_chart(measurement: Measurement) -> Spec | None:
    """Time by percentile, both axes logarithmic, so that each further nine has the same width.

    A curve ends at the highest percentile that the sample supports. What of it is a lower bound is dotted. None if it
    does not support the median.
    """
    summary = measurement.summary
    curves = [("response time", measurement.response_times, summary.response_time)]
    if measurement.is_open:
        curves.append(("service time", measurement.service_times, summary.service_time))
    points = [point for curve in curves for point in _tail_points(*curve)]
    if not points:
        return None
    nines = math.ceil(math.log10(max(point["inverse"] for point in points)))
    names = [name for name, _, _ in curves]
    dashes: Spec = {
        "field": "known",
        "type": "nominal",
        "scale": {"domain": [EXACT, LOWER_BOUND], "range": [[1, 0], [2, 3]]},
        "legend": legend([EXACT, LOWER_BOUND]) if any(point["known"] == LOWER_BOUND for point in points) else None,
    }
    return chart(
        height=260,
        data={"values": points},
        mark={"type": "line", "strokeWidth": 2},
        encoding={
            "strokeDash": dashes,
            "x": {
                "field": "inverse",
                "type": "quantitative",
                "scale": {"type": "log", "domain": [1, 10**nines], "nice": False},
                "axis": {
                    "title": "percentile",
                    "values": [1, 2, *(10**power for power in range(1, nines + 1))],
                    "labelExpr": "format(100 * (1 - 1 / datum.value), '~g') + ' %'",
                },
            },
            "y": milliseconds_axis([point["milliseconds"] for point in points]),
            "color": coloured(names, "times"),
            "tooltip": [
                {"field": "times"},
                {"field": "known", "title": "time"},
                {"field": "percentile", "format": ".6~r"},
                {"field": "milliseconds", "format": ",.3~r", "title": "ms"},
            ],
        },
    )


def _tail_points(name: str, times: Histogram, distribution: Distribution) -> list[dict[str, Any]]:
    """A curve of `tail_chart`; in two parts that meet where it falls among requests whose end nobody awaited."""
    points: list[dict[str, Any]] = []
    for share in _shares(times, distribution):
        seconds = times.at(100 * share, distribution.bounds_from_seconds)
        certainty = LOWER_BOUND if distribution.is_lower_bound(seconds) else EXACT
        if points and certainty != points[-1]["known"]:
            points.append(points[-1] | {"known": certainty})
        points.append(
            {
                "times": name,
                "known": certainty,
                "inverse": 1 / (1 - share),
                "percentile": 100 * share,
                "milliseconds": 1e3 * seconds,
            }
        )
    return points


def rate_chart(measurement: Measurement) -> Spec | None:
    """Verified answers and errors in each whole second, and what an open load offered; None below three seconds."""
    seconds = measurement.summary.series[: int(measurement.summary.window_seconds)]
    if len(seconds) < FEWEST_SECONDS:
        return None
    points: list[dict[str, Any]] = []
    for second, each in enumerate(seconds, 1):
        points.append({"second": second, "what": "verified", "count": each.verified})
        points.append({"second": second, "what": "errors", "count": each.errors})
    offered = measurement.load.load.due_by_second(len(seconds))
    for second, due in enumerate(offered, 1):
        points.append({"second": second, "what": "offered", "count": due})
    return _over_time(points, "what", "count", {"title": "answers in the second", "tickCount": 5}, {})


def time_chart(measurement: Measurement) -> Spec | None:
    """Median, 99th percentile and longest response time in each whole second; None below three seconds."""
    seconds = measurement.summary.series[: int(measurement.summary.window_seconds)]
    points = [
        {"second": second, "what": name, "milliseconds": value * 1e3}
        for second, each in enumerate(seconds, 1)
        for name, value in (("p50", each.p50_seconds), ("p99", each.p99_seconds), ("max", each.max_seconds))
        if value
    ]
    if len(seconds) < FEWEST_SECONDS or not points:
        return None
    return _over_time(
        points, "what", "milliseconds", {"title": "ms, logarithmic", "tickCount": 5, "format": "~g"}, {"type": "log"}
    )


def _over_time(points: list[dict[str, Any]], colour: str, field: str, axis: Spec, scale: Spec) -> Spec:
    names = list(dict.fromkeys(point[colour] for point in points))
    last = max(point["second"] for point in points)
    ticks = min(last, 8)
    return chart(
        height=220,
        data={"values": points},
        mark={"type": "line", "strokeWidth": 1.8},
        encoding={
            "x": {
                "field": "second",
                "type": "quantitative",
                "scale": {"domain": [1, last], "nice": False},
                "axis": {"title": "second of the window", "tickMinStep": 1, "tickCount": ticks, "format": "d"},
            },
            "y": {"field": field, "type": "quantitative", "axis": axis, "scale": scale},
            "color": coloured(names, colour),
            "tooltip": [{"field": "second"}, {"field": colour}, {"field": field, "format": ",.3~r"}],
        },
    )


def _shares(times: Histogram, distribution: Distribution) -> list[float]:
    """From 0 to the highest supported percentile, evenly over the logarithm of 1 / (1 - share)."""
    supported = [name for name in TABLE_PERCENTILES if supported_percentile(distribution, name) is not None]
    if not supported or not times.count:
        return []
    highest = -math.log10(1 - float(supported[-1]) / 100)
    points = max(round(highest * POINTS_PER_NINE), 2)
    return [1 - 10 ** (-highest * place / points) for place in range(points + 1)]
