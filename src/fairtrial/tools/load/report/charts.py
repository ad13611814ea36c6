"""The charts of a load's page: where the times lie, how far the tail goes, and the course over the window."""

import math
from typing import Any

from fairtrial.judge.metrics import supported_percentile
from fairtrial.record.distribution import Distribution
from fairtrial.record.histogram import Histogram
from fairtrial.report.vega import SERIES, Spec, chart, round_values
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.plan.describe import is_open
from fairtrial.tools.load.plan.offered import offered_by_second
from fairtrial.tools.load.report.figures import PERCENTILES

BINS = 60
POINTS_PER_NINE = 12
"""Points of the percentile curve from 90 to 99 %, from 99 to 99.9 %, …"""
FEW_SECONDS = 3


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


def percentile_chart(measurement: Measurement) -> Spec | None:
    """Time by percentile, both axes logarithmic: each nine has the same width. Curves end where the sample does.
    None if it is too small for a median."""
    summary = measurement.summary
    curves = [("response time", measurement.response_times, summary.response_time)]
    if is_open(measurement.plan.load):
        curves.append(("service time", measurement.service_times, summary.service_time))
    points: list[dict[str, Any]] = [
        {
            "times": name,
            "inverse": 1 / (1 - share),
            "percentile": 100 * share,
            "milliseconds": 1e3 * times.at(100 * share),
        }
        for name, times, distribution in curves
        for share in _shares(times, distribution)
    ]
    if not points:
        return None
    nines = math.ceil(math.log10(max(point["inverse"] for point in points)))
    names = [name for name, _, _ in curves]
    shortest = min(point["milliseconds"] for point in points)
    longest = max(point["milliseconds"] for point in points)
    return chart(
        height=260,
        data={"values": points},
        mark={"type": "line", "strokeWidth": 2},
        encoding={
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
            "y": {
                "field": "milliseconds",
                "type": "quantitative",
                "scale": {"type": "log", "domain": [shortest / 1.15, longest * 1.15], "nice": False},
                "axis": {"title": "ms, logarithmic", "values": round_values(shortest, longest), "format": "~g"},
            },
            "color": _colour("times", names),
            "tooltip": [
                {"field": "times"},
                {"field": "percentile", "format": ".6~r"},
                {"field": "milliseconds", "format": ",.3~r", "title": "ms"},
            ],
        },
    )


def rate_chart(measurement: Measurement) -> Spec | None:
    """Verified answers and errors in each whole second, and what an open load offered. None below three seconds."""
    seconds = measurement.summary.series[: int(measurement.summary.window_seconds)]
    if len(seconds) < FEW_SECONDS:
        return None
    points: list[dict[str, Any]] = []
    for second, each in enumerate(seconds, 1):
        points.append({"second": second, "what": "verified", "count": each.verified})
        points.append({"second": second, "what": "errors", "count": each.errors})
    offered = offered_by_second(measurement.plan.load, len(seconds), measurement.summary.window_seconds)
    for second, due in enumerate(offered or (), 1):
        points.append({"second": second, "what": "offered", "count": due})
    return _over_time(points, "what", "count", {"title": "answers in the second", "tickCount": 5}, {})


def time_chart(measurement: Measurement) -> Spec | None:
    """Median, 99th percentile and longest response time in each whole second. None below three seconds."""
    seconds = measurement.summary.series[: int(measurement.summary.window_seconds)]
    points = [
        {"second": second, "what": name, "milliseconds": value * 1e3}
        for second, each in enumerate(seconds, 1)
        for name, value in (("p50", each.p50_seconds), ("p99", each.p99_seconds), ("max", each.max_seconds))
        if value
    ]
    if len(seconds) < FEW_SECONDS or not points:
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
            "color": _colour(colour, names),
            "tooltip": [{"field": "second"}, {"field": colour}, {"field": field, "format": ",.3~r"}],
        },
    )


def _shares(times: Histogram, distribution: Distribution) -> list[float]:
    """From 0 to the highest supported percentile, evenly over the logarithm of 1 / (1 - share)."""
    supported = [name for name in PERCENTILES if supported_percentile(distribution, name) is not None]
    if not supported or not times.count:
        return []
    highest = -math.log10(1 - float(supported[-1]) / 100)
    points = max(round(highest * POINTS_PER_NINE), 2)
    return [1 - 10 ** (-highest * place / points) for place in range(points + 1)]


def _colour(field: str, names: list[str]) -> Spec:
    return {
        "field": field,
        "type": "nominal",
        "scale": {"domain": names, "range": SERIES[: len(names)]},
        "legend": {"title": None},
    }
