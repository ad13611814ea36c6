"""The report's charts, as Vega-Lite specifications that contain their data."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from fairtrial.base.formatting import bounded_below, figure
from fairtrial.judge.checks.model import refusing
from fairtrial.judge.metrics import find_metric, is_lower_bound
from fairtrial.judge.model import ClaimResult, ConditionResult, Result
from fairtrial.judge.statistics.lower_bounds import over_blocks_bounded
from fairtrial.record.model import TrialRecord
from fairtrial.report.columns import GOODPUT, in_order, is_large
from fairtrial.report.vega import SERIES, Spec, chart, coloured, legend, milliseconds_axis

DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
MOST_SECONDS = 1000
"""A chart of a large result has about so many seconds of all lines together."""
CHART_PERCENTILES = ("50", "75", "90", "95", "99", "99.9", "99.99")


def goodput_chart(result: Result) -> Spec | None:
    """Goodput of each stack: the estimate and its interval, and a dot for each block unless there are very many. None
    without a valid condition."""
    valid = _valid(result)
    if not valid:
        return None
    names = [condition.contender for condition in valid]
    dots = [
        {"contender": condition.contender, "goodput": trial.goodput.per_second, "block": trial.block}
        for condition in ([] if is_large(result) else valid)
        for trial in condition.trials
        if trial.goodput is not None
    ]
    bars = []
    for condition in valid:
        goodput = GOODPUT.of(condition)
        if goodput is not None:
            low, high = goodput.interval or (None, None)
            bars.append(
                {"contender": condition.contender, "estimate": goodput.estimate, "low": low, "high": high}
                | {"label": figure(goodput.estimate)}
            )
    y = {"field": "contender", "type": "nominal", "sort": names, "axis": {"title": None, "labelLimit": 170}}
    x = {
        "type": "quantitative",
        "scale": {"zero": True},
        "axis": {"title": "verified answers per second", "tickCount": 5},
    }
    step = max(300 / len(names), 34)
    return chart(
        height=step * len(names),
        layer=[
            {
                "data": {"values": bars},
                "mark": {"type": "bar", "color": "var(--accent)", "opacity": 0.13, "height": 20},
                "encoding": {"y": y, "x": x | {"field": "estimate"}},
            },
            {
                "data": {"values": bars},
                "mark": {"type": "rule", "color": "var(--accent)", "strokeWidth": 3},
                "encoding": {
                    "y": y,
                    "x": x | {"field": "low"},
                    "x2": {"field": "high"},
                    "tooltip": [
                        {"field": "contender", "title": "stack"},
                        {"field": "estimate", "format": ",.0f", "title": "estimate"},
                        {"field": "low", "format": ",.0f", "title": "interval from"},
                        {"field": "high", "format": ",.0f", "title": "to"},
                    ],
                },
            },
            {
                "data": {"values": bars},
                "mark": {"type": "tick", "color": "var(--accent)", "thickness": 3, "size": 18},
                "encoding": {"y": y, "x": x | {"field": "estimate"}},
            },
            {
                "data": {"values": dots},
                "mark": {"type": "circle", "color": "currentColor", "size": 34, "opacity": 0.55},
                "encoding": {
                    "y": y,
                    "x": x | {"field": "goodput"},
                    "yOffset": {"value": step / 2 + 15},
                    "tooltip": [
                        {"field": "contender", "title": "stack"},
                        {"field": "block", "title": "block"},
                        {"field": "goodput", "format": ",.0f", "title": "goodput/s"},
                    ],
                },
            },
        ],
    )


def percentile_chart(result: Result, trials: Sequence[TrialRecord]) -> Spec | None:
    """Response time by percentile: for each condition, the median over its blocks.

    A curve ends before the first percentile that too few samples support. A percentile that is a lower bound is a
    triangle. None if there are no points.
    """
    records = {trial.index: trial for trial in trials}
    points: list[dict[str, Any]] = []
    valid = _valid(result)
    for condition in valid:
        findings = [finding for trial in condition.trials for finding in trial.findings]
        for percentile in CHART_PERCENTILES:
            if refusing(f"response_time_p{percentile}", findings):
                continue
            metric = find_metric(f"response_time_p{percentile}")
            measured = [trial for each in condition.trials if (trial := records[each.index]).engine is not None]
            times = [metric.read(trial) for trial in measured]
            supported = [value for value in times if value is not None]
            if supported and len(supported) == len(times):
                are_bounds = [
                    is_lower_bound(metric, trial, value) for trial, value in zip(measured, supported, strict=True)
                ]
                typical = over_blocks_bounded(supported, are_bounds)
                points.append(
                    percentile_point(condition.contender, percentile, typical.estimate, typical.is_lower_bound)
                )
    return percentile_lines(points, [condition.contender for condition in valid], "stack")


def percentile_point(name: str, percentile: str, seconds: float, is_lower_bound: bool) -> dict[str, Any]:
    """A point of `percentile_lines`."""
    label = bounded_below(figure(1e3 * seconds), is_lower_bound)
    point = {"name": name, "percentile": f"p{percentile}", "milliseconds": 1e3 * seconds, "label": label}
    return point | {"is_lower_bound": is_lower_bound}


def percentile_lines(points: Sequence[dict[str, Any]], names: Sequence[str], title: str) -> Spec | None:
    """Times by percentile: a line for each name, and a triangle for a lower bound. None if there are no points.

    Args:
        title: what names are of: `stack`.
    """
    if not points:
        return None
    dashes = [DASHES[index // len(SERIES) % 4] for index in range(len(names))]
    encoding: Spec = {
        "x": {
            "field": "percentile",
            "type": "ordinal",
            "sort": [f"p{percentile}" for percentile in CHART_PERCENTILES],
            "axis": {"title": "percentile of response time", "labelAngle": 0},
        },
        "y": milliseconds_axis([point["milliseconds"] for point in points]),
        "color": coloured(names, "name"),
        "tooltip": [
            {"field": "name", "title": title},
            {"field": "percentile"},
            {"field": "label", "type": "nominal", "title": "ms"},
        ],
    }
    stroke = {
        "field": "name",
        "type": "nominal",
        "scale": {"domain": list(names), "range": dashes},
        "legend": legend(names),
    }
    line: Spec = {
        "mark": {"type": "line", "point": {"size": 36}, "strokeWidth": 2},
        "encoding": encoding | {"strokeDash": stroke},
    }
    bounds = [point for point in points if point["is_lower_bound"]]
    if not bounds:
        return chart(height=300, data={"values": points}, **line)
    triangles: Spec = {
        "data": {"values": bounds},
        "mark": {"type": "point", "shape": "triangle-up", "filled": True, "size": 130, "opacity": 1},
        "encoding": encoding,
    }
    return chart(height=300, layer=[{"data": {"values": points}, **line}, triangles])


def second_chart(result: Result, trials: Sequence[TrialRecord]) -> Spec | None:
    """Verified answers in each second of the window, a line for each trial. None if all windows are shorter than five
    seconds.

    Of a large result a line for each stack, the medians over its blocks, and of so many seconds not every one.
    """
    records = {trial.index: trial for trial in trials}
    valid = _valid(result)
    lines: list[tuple[dict[str, Any], Sequence[float]]] = []
    for condition in valid:
        engines = ((trial.block, records[trial.index].engine) for trial in condition.trials)
        of_blocks = {
            block: [second.verified for second in engine.series[: int(engine.window_seconds)]]
            for block, engine in engines
            if engine is not None and engine.window_seconds >= 5
        }
        if is_large(result):
            medians = [median(values) for values in zip(*of_blocks.values(), strict=False)]
            lines.append(({"name": condition.contender}, medians))
        else:
            lines += [({"name": condition.contender, "block": block}, values) for block, values in of_blocks.items()]
    step = 1 + sum(len(values) for _, values in lines) // MOST_SECONDS if is_large(result) else 1
    points = [
        line | {"second": 1 + place, "verified": values[place]}
        for line, values in lines
        for place in range(0, len(values), step)
    ]
    if not points:
        return None
    names = [condition.contender for condition in valid]
    y: Spec = {"field": "verified", "axis": {"title": "verified answers", "tickCount": 5}}
    return second_lines(points, names, "stack", y)


def second_lines(
    points: Sequence[dict[str, Any]], names: Sequence[str], title: str, y: Spec, number_format: str = ","
) -> Spec:
    """A figure of each second of the window: a line for each name, of each block.

    Args:
        title: what names are of: `stack`.
    """
    last = max(point["second"] for point in points)
    axis = {"title": "second of the window", "tickMinStep": 1, "tickCount": min(last, 8), "format": "d"}
    scale = {"domain": [1, last], "nice": False}
    return chart(
        height=260,
        data={"values": points},
        mark={"type": "line", "strokeWidth": 1.5, "opacity": 0.75},
        encoding={
            "x": {"field": "second", "type": "quantitative", "scale": scale, "axis": axis},
            "y": {"type": "quantitative"} | y,
            "color": coloured(names, "name"),
            "detail": {"field": "block"},
            "tooltip": [
                {"field": "name", "title": title},
                *([{"field": "block"}] if "block" in points[0] else []),
                {"field": "second"},
                {"field": y["field"], "format": number_format},
            ],
        },
    )


def verdict_chart(claim: ClaimResult) -> Spec | None:
    """The interval against the bound, in the unit in which the claim is said; the shaded part is where it holds.

    An estimate that is a lower bound points to where the true one may be. None without an estimate or a bound.
    """
    if claim.estimate is None or (claim.at_least is None and claim.at_most is None):
        return None
    size = 1.0 if claim.unit is None else claim.unit.size
    estimate, (low, high) = claim.estimate / size, (end / size for end in claim.interval or 2 * (claim.estimate,))
    at_least, at_most = (None if bound is None else bound / size for bound in (claim.at_least, claim.at_most))
    published = claim.published / size if isinstance(claim.published, float) else None
    marks = [low, high, *(value for value in (at_least, at_most, published) if value is not None)]
    if min(marks) <= 0:
        return None
    margin = max((max(marks) / min(marks)) ** 0.15, 1.03)
    domain = [min(marks) / margin, max(marks) * margin]
    holds = [{"from": max(at_least or domain[0], domain[0]), "to": min(at_most or domain[1], domain[1])}]
    bounds = [{"bound": value} for value in (at_least, at_most) if value is not None]
    x: Spec = {
        "type": "quantitative",
        "scale": {"type": "log", "domain": domain, "nice": False},
        "axis": {
            "title": None if claim.unit is None else claim.unit.symbol,
            "tickCount": 5,
            "format": "~g",
            "grid": False,
            "labelOverlap": "greedy",
        },
    }
    colour = f"var(--{claim.verdict})"
    shape = "triangle-right" if claim.estimate_is_lower_bound else "circle"
    layers: list[Spec] = [
        {
            "data": {"values": holds},
            "mark": {"type": "rect", "color": "var(--upheld)", "opacity": 0.13},
            "encoding": {"x": x | {"field": "from"}, "x2": {"field": "to"}},
        },
        {
            "data": {"values": bounds},
            "mark": {"type": "rule", "color": "currentColor", "strokeDash": [4, 3], "opacity": 0.7},
            "encoding": {"x": x | {"field": "bound"}},
        },
        {
            "data": {"values": [{"low": low, "high": high}]},
            "mark": {"type": "rule", "color": colour, "strokeWidth": 4, "strokeCap": "round"},
            "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}},
        },
        {
            "data": {"values": [{"estimate": estimate, "low": low, "high": high}]},
            "mark": {"type": "point", "shape": shape, "filled": True, "color": colour, "size": 110, "opacity": 1},
            "encoding": {
                "x": x | {"field": "estimate"},
                "tooltip": [
                    {"field": "estimate", "format": ".3~r"},
                    {"field": "low", "format": ".3~r", "title": "interval from"},
                    {"field": "high", "format": ".3~r", "title": "to"},
                ],
            },
        },
    ]
    if published is not None:
        layers.append(
            {
                "data": {"values": [{"published": published}]},
                "mark": {"type": "point", "shape": "diamond", "color": "currentColor", "size": 90, "strokeWidth": 1.5},
                "encoding": {
                    "x": x | {"field": "published"},
                    "tooltip": [{"field": "published", "format": ".3~r"}],
                },
            }
        )
    return chart(height=34, layer=layers)


def _valid(result: Result) -> list[ConditionResult]:
    return [condition for condition in in_order(result.conditions) if condition.outcome == "valid"]
