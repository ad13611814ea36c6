"""A history as one HTML page that opens without a network: a chart for each figure, what changed, and a table."""

from pathlib import Path
from typing import Any

from fairtrial.base.formatting import TABLE_UNITS, figure_in
from fairtrial.judge.metrics import Metric
from fairtrial.report.page import page_text
from fairtrial.report.vega import Spec, chart, coloured
from fairtrial.tools.history.changes import Changes
from fairtrial.tools.history.table import FigureSeries, History, Run

TEMPLATE = Path(__file__).with_name("templates") / "history.html.j2"
HEIGHT_PIXELS = 260


def history_page(history: History, changes: Changes) -> str:
    """The whole page."""
    metrics = list(dict.fromkeys(column.metric.name for column in history.columns))
    labels = {column.metric.name: column.metric.label for column in history.columns}
    charts = {name: history_chart(history, changes, name) for name in metrics}
    return page_text(TEMPLATE, charts, history=history, changes=changes, labels=labels, cell=cell)


def history_chart(history: History, changes: Changes, metric_name: str) -> Spec:
    """A metric over the runs: a line for each condition with its intervals, a rule for each change, and a cross at the
    foot for each run that has no such figure, where the line is broken."""
    columns = [column for column in history.columns if column.metric.name == metric_name]
    metric, names = columns[0].metric, [column.contender for column in columns]
    size = _size(metric)
    numbers = {run.name: number for number, run in enumerate(history.runs, 1)}
    points: list[dict[str, Any]] = []
    for column in columns:
        for run in history.runs:
            point = {"number": numbers[run.name], "run": run.name, "condition": column.contender}
            point["began"] = run.result.started_at
            point["commit"] = run.commit(column.condition) or "not known"
            figure = column.figure(run.result)
            if figure is None:
                points.append(point | {"value": None, "why": column.why_none(run.result)})
            else:
                low, high = figure.interval or (None, None)
                ends = {"low": low and low / size, "high": high and high / size}
                points.append(point | {"value": figure.estimate / size} | ends)
    marks = [
        {"number": numbers[step.run.name] - 0.5, "condition": step.column.contender, "change": step.in_words}
        for step in changes.steps
        if step.column.metric.name == metric_name
    ]
    x: Spec = {
        "field": "number",
        "type": "quantitative",
        "scale": {"domain": [0.5, len(history.runs) + 0.5], "nice": False},
        "axis": {"title": "run, the earliest first", "tickMinStep": 1, "format": "d", "grid": False},
    }
    unit = TABLE_UNITS.get(metric.unit)
    title = metric.label if unit is None else f"{metric.label}, {unit.symbol}"
    y: Spec = {"type": "quantitative", "scale": {"zero": False}, "axis": {"title": title, "tickCount": 5}}
    colour = coloured(names, "condition")
    tooltip = [
        {"field": "condition"},
        {"field": "run"},
        {"field": "began", "type": "nominal"},
        {"field": "commit"},
        {"field": "value", "format": ",.4~r", "title": metric.label},
        {"field": "low", "format": ",.4~r", "title": "interval from"},
        {"field": "high", "format": ",.4~r", "title": "to"},
    ]
    layers: list[Spec] = [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "opacity": 0.5, "strokeWidth": 2},
            "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        {
            "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 36}, "invalid": "break-paths-filter-domains"},
            "encoding": {"x": x, "y": y | {"field": "value"}, "color": colour, "tooltip": tooltip},
        },
        {
            "transform": [{"filter": "!isValid(datum.value)"}],
            "mark": {"type": "point", "shape": "cross", "angle": 45, "filled": True, "size": 70, "opacity": 1},
            "encoding": {
                "x": x,
                "y": {"value": HEIGHT_PIXELS},
                "color": colour,
                "tooltip": [*tooltip[:4], {"field": "why", "title": "no figure"}],
            },
        },
        {
            "data": {"values": marks},
            "mark": {"type": "rule", "strokeDash": [6, 3], "strokeWidth": 2, "opacity": 0.9},
            "encoding": {"x": x, "color": colour, "tooltip": [{"field": "change"}]},
        },
    ]
    return chart(height=HEIGHT_PIXELS, data={"values": points}, layer=layers if marks else layers[:-1])


def cell(column: FigureSeries, run: Run) -> tuple[str, str]:
    """A figure of the table and its interval, or why there is none."""
    figure = column.figure(run.result)
    if figure is None:
        return "–", column.why_none(run.result)
    unit = TABLE_UNITS.get(column.metric.unit)
    interval = "" if figure.interval is None else " to ".join(figure_in(end, unit) for end in figure.interval)
    return figure_in(figure.estimate, unit), interval


def _size(metric: Metric) -> float:
    unit = TABLE_UNITS.get(metric.unit)
    return 1.0 if unit is None else unit.size
