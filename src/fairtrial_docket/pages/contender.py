"""The page of a contender: its figures in all results, and how they went over time."""

from collections import defaultdict
from collections.abc import Sequence

from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.report import columns
from fairtrial.report.columns import GOODPUT
from fairtrial.report.vega import Spec, chart, coloured
from fairtrial_docket.entries import ConditionEntry
from fairtrial_docket.site import Site
from fairtrial_docket.tables import estimate_cell


def write_contender(site: Site, path: str, conditions: Sequence[ConditionEntry]) -> None:
    """Write it."""
    history = history_chart(conditions)
    site.page(
        path,
        "contender.html.j2",
        {} if history is None else {"history": history},
        conditions=conditions,
        columns=columns,
        estimate_cell=estimate_cell,
    )


def history_chart(conditions: Sequence[ConditionEntry]) -> Spec | None:
    """Goodput over time with its intervals: a line for each condition that an experiment has in two results of one
    machine. None if there is none. What else differed stands in the table."""
    lines: dict[tuple[str, ...], list[tuple[ConditionEntry, Estimate]]] = defaultdict(list)
    for each in conditions:
        if (goodput := GOODPUT.of(each.condition)) is not None:
            lines[each.of.experiment, each.condition.id, each.of.host].append((each, goodput))
    points = [
        {"condition": f"{each.of.experiment}: {each.condition.contender}", "began": each.of.started_at}
        | {"result": each.of.name, "machine": each.of.machine, "host": each.of.host, "estimate": goodput.estimate}
        | dict(zip(("low", "high"), goodput.interval or (None, None), strict=True))
        for each_of in lines.values()
        if len(each_of) > 1
        for each, goodput in each_of
    ]
    if not points:
        return None
    names = list(dict.fromkeys(str(point["condition"]) for point in points))
    x: Spec = {"field": "began", "type": "temporal", "axis": {"title": None, "grid": False}}
    y: Spec = {"type": "quantitative", "scale": {"zero": True}}
    y["axis"] = {"title": "verified answers per second", "tickCount": 5}
    tooltip = [{"field": name} for name in ("result", "machine", "began", "estimate", "low", "high")]
    colour = coloured(names, "condition")
    line: Spec = {"x": x, "y": y | {"field": "estimate"}, "color": colour, "detail": {"field": "host"}}
    return chart(
        height=260,
        data={"values": points},
        layer=[
            {
                "mark": {"type": "rule", "opacity": 0.5, "strokeWidth": 2},
                "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 36}},
                "encoding": line | {"tooltip": tooltip},
            },
        ],
    )
