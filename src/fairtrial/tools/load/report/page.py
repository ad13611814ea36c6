"""The outcome of a load as one HTML page that opens without a network, with its charts: how response times are
distributed, and how the load went over the window."""

from pathlib import Path
from typing import Any

from fairtrial.judge.metrics import supported_percentile
from fairtrial.report.charts import CHART_PERCENTILES, percentile_lines, percentile_point, second_lines
from fairtrial.report.page import page_text
from fairtrial.report.vega import Spec, chart, milliseconds_axis, round_values
from fairtrial.tools.load import advice
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report import figures
from fairtrial.tools.load.report.bars import counted

TEMPLATE = Path(__file__).with_name("templates") / "load.html.j2"
BINS = 60
FEWEST_SECONDS = 3
"""A chart over time needs this many whole seconds."""


def load_page(measurement: Measurement) -> str:
    """The whole page. The request's headers and body are left out, as they may be secret."""
    charts = {
        "distribution": distribution_chart(measurement),
        "percentiles": load_percentile_chart(measurement),
        "rate": rate_chart(measurement),
        "time": time_chart(measurement),
    }
    return page_text(TEMPLATE, charts, measurement=measurement, figures=figures, advice=advice)


def distribution_chart(measurement: Measurement) -> Spec | None:
    """How many response times lie where, on a logarithmic axis. None without answers."""
    times = measurement.response_times
    if not times.count:
        return None
    low, high = times.buckets[0].low_seconds, times.buckets[-1].high_seconds
    low = max(low, 1e-9)
    edges = [low * (high / low) ** (place / BINS) for place in range(BINS + 1)]
    bins = [
        {"from": each.low_seconds * 1e3, "to": each.high_seconds * 1e3, "answers": each.count}
        for each in counted(times, edges)
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


def load_percentile_chart(measurement: Measurement) -> Spec | None:
    """Response times by percentile, beside the service times where requests wait before they are sent. None without
    answers."""
    summary = measurement.summary
    curves = {"response time": summary.response_time}
    if measurement.has_send_waits:
        curves["service time"] = summary.service_time
    points = [
        percentile_point(name, percentile, seconds, times.is_lower_bound(seconds))
        for name, times in curves.items()
        for percentile in CHART_PERCENTILES
        if (seconds := supported_percentile(times, percentile)) is not None
    ]
    return percentile_lines(points, list(curves), "times")


def rate_chart(measurement: Measurement) -> Spec | None:
    """Verified answers and errors in each whole second, and what an open load offered; None below three seconds."""
    seconds = measurement.summary.series[: int(measurement.summary.window_seconds)]
    if len(seconds) < FEWEST_SECONDS:
        return None
    courses = {
        "verified": [each.verified for each in seconds],
        "errors": [each.errors for each in seconds],
        "offered": measurement.load.load.due_by_second(len(seconds)),
    }
    points = [
        {"second": second, "name": name, "count": count}
        for name, course in courses.items()
        for second, count in enumerate(course, 1)
    ]
    y: Spec = {"field": "count", "axis": {"title": "answers in the second", "tickCount": 5}}
    return second_lines(points, [name for name, course in courses.items() if course], "what", y)


def time_chart(measurement: Measurement) -> Spec | None:
    """Median, 99th percentile and longest response time in each whole second; None below three seconds."""
    seconds = measurement.summary.series[: int(measurement.summary.window_seconds)]
    points: list[dict[str, Any]] = [
        {"second": second, "name": name, "milliseconds": value * 1e3}
        for second, each in enumerate(seconds, 1)
        for name, value in (("p50", each.p50_seconds), ("p99", each.p99_seconds), ("max", each.max_seconds))
        if value
    ]
    if len(seconds) < FEWEST_SECONDS or not points:
        return None
    y: Spec = milliseconds_axis([point["milliseconds"] for point in points])
    return second_lines(points, ["p50", "p99", "max"], "what", y, ",.3~r")
