"""The answer to `[why]`: its sentence, its rows, and the chart from the start to the end, a step at a time."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fairtrial.base.formatting import capitalised, count, figure, level_in_words, span
from fairtrial.judge.statistics.causes import Cause, Causes, Interval
from fairtrial.report.vega import Spec, chart

NOT_EXPLAINED = "not explained"
MATTERS = 0.05
"""Changes of a logarithm below this one stand in the report alone. It is the usual margin of claims."""


@dataclass(frozen=True)
class CauseStep:
    """One part, where it begins and where it ends on the way from the start, as multiples of the start."""

    name: str
    begin: float
    end: float
    cause: Cause


def answer_sentence(causes: Causes) -> str:
    """`Of 1.84 times (1.76 to 1.93), driver is 62% (48 to 74), …`, or why there are no shares."""
    if causes.ratio is None:
        return f"Why {causes.end} differs from {causes.start} is not known: {causes.reason}."
    ratio = f"{figure(causes.ratio)} times" + (f" ({span(causes.interval)})" if causes.interval else "")
    if causes.reason is not None:
        return f"{capitalised(causes.metric)} on {causes.end} was {ratio} that on {causes.start}: {causes.reason}."
    *switched, last = causes.parts
    if last.kind != "not explained":
        switched.append(last)
    words = ", ".join(f"{part_name(causes, part)} is {share_in_words(part)}" for part in switched)
    rest = f"; {share_in_words(last)} is not explained by what was switched" if last.kind == "not explained" else ""
    return f"{capitalised(causes.metric)} on {causes.end} was {ratio} that on {causes.start}. Of that, {words}{rest}."


def part_name(causes: Causes, part: Cause) -> str:
    """`driver`, `both together`, `driver and pool together`, `three or more together` or `not explained`."""
    if part.kind == "factor":
        return part.factors[0]
    if part.kind == "pair":
        return "both together" if len(causes.factors) == 2 else f"{' and '.join(part.factors)} together"
    return "three or more together" if part.kind == "more" else NOT_EXPLAINED


def share_in_words(part: Cause) -> str:
    """`62% (48 to 74)`; a dash without a share."""
    if part.share is None or part.share_interval is None:
        return "–"
    low, high = (_percent(end) for end in part.share_interval)
    return f"{_percent(part.share)}% ({low} to {high})"


def times_in_words(ratio: float, interval: Interval | None) -> str:
    """`× 1.46 (1.30 to 1.64)`."""
    return f"× {figure(ratio)}" + (f" ({span(interval)})" if interval else "")


def beside_columns(causes: Causes) -> list[str]:
    """The other figures that all parts have: `server CPU time per 1,000 requests`."""
    return [each.metric for each in causes.parts[0].beside] if causes.parts else []


def beside_notes(causes: Causes) -> Iterator[str]:
    """Figures that each part changed for sure, too, by 5% or more: `with driver: peak memory × 1.20 (1.1 to 1.3)`."""
    for part in causes.parts:
        words = ", ".join(
            f"{each.metric} {times_in_words(each.ratio, each.interval)}"
            for each in part.beside
            if each.interval and not each.interval[0] <= 1 <= each.interval[1] and abs(math.log(each.ratio)) >= MATTERS
        )
        if words:
            name = part_name(causes, part)
            yield f"with {'what is ' if name == NOT_EXPLAINED else ''}{name}: {words}"


def steps(causes: Causes) -> list[CauseStep]:
    """The waterfall: each part begins where the one before it ends, and the last ends at the whole ratio."""
    place, answer = 1.0, []
    for part in causes.parts:
        answer.append(CauseStep(part_name(causes, part), place, place * part.ratio, part))
        place *= part.ratio
    return answer


def design_notes(causes: Causes) -> Iterator[str]:
    """Notes on what was switched, how much of it was tried, and what the intervals hold."""
    is_path = causes.resolution == "in order"
    changes = "; ".join(f"{name} ({words})" for name, words in causes.factors.items())
    yield f"{'steps' if is_path else 'factors'}: {changes}"
    every = 2 ** len(causes.factors)
    if is_path:
        yield f"{count(causes.blocks, 'block')}; a step's part is what it changes of the one before it"
    elif causes.resolution == "full":
        yield f"all {every} combinations, {count(causes.blocks, 'block')}; a factor's part is what it changes alone"
    else:
        yield (
            f"{causes.combinations} of {every} combinations (resolution {causes.resolution}), "
            f"{count(causes.blocks, 'block')}; a factor's part is its mean over the levels of the others"
        )
    yield (
        f"Intervals of all parts hold together at {level_in_words(causes.level)}; shares are of the ratio's logarithm, "
        "and one below zero works against it."
    )
    yield from causes.remarks
    for each in causes.interactions:
        pairs = " or ".join(" and ".join(pair) for pair in each.pairs)
        aliases = " (aliases)" if len(each.pairs) > 1 else ""
        yield f"together: {pairs}{aliases}: {times_in_words(each.ratio, each.interval)}"
    yield from causes.advice


def causes_chart(causes: Causes | None) -> Spec | None:
    """The waterfall on a logarithmic axis: a bar for each step, and the interval of where it ends. None without one."""
    if causes is None or not causes.parts or causes.ratio is None:
        return None
    rows: list[dict[str, Any]] = [
        {
            "name": step.name,
            "begin": step.begin,
            "end": step.end,
            "low": step.begin * (step.cause.interval or (step.cause.ratio,))[0],
            "high": step.begin * (step.cause.interval or (step.cause.ratio,))[-1],
            "times": times_in_words(step.cause.ratio, step.cause.interval),
            "share": share_in_words(step.cause),
        }
        for step in steps(causes)
    ]
    whole_low, whole_high = causes.interval or (causes.ratio, causes.ratio)
    whole = {"name": f"all ({causes.end})", "begin": 1.0, "end": causes.ratio, "low": whole_low, "high": whole_high}
    rows.append(whole | {"times": times_in_words(causes.ratio, causes.interval), "share": "100%"})
    marks = [row[key] for row in rows for key in ("begin", "end", "low", "high")]
    y: Spec = {
        "field": "name",
        "type": "nominal",
        "sort": [row["name"] for row in rows],
        "axis": {"title": None, "labelLimit": 240},
    }
    x: Spec = {
        "type": "quantitative",
        "scale": {"type": "log", "domain": [min(marks) / 1.05, max(marks) * 1.05], "nice": False},
        "axis": {"title": [f"{causes.metric},", f"times that on {causes.start}"], "tickCount": 5, "format": "~g"},
    }
    tooltip = [{"field": "name", "title": "part"}, {"field": "times"}, {"field": "share"}]
    return chart(
        height=max(34 * len(rows), 120),
        data={"values": rows},
        layer=[
            {
                "mark": {"type": "bar", "color": "var(--accent)", "opacity": 0.35, "height": 18},
                "encoding": {"y": y, "x": x | {"field": "begin"}, "x2": {"field": "end"}, "tooltip": tooltip},
            },
            {
                "mark": {"type": "rule", "color": "var(--accent)", "strokeWidth": 3},
                "encoding": {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}, "tooltip": tooltip},
            },
        ],
    )


def _percent(share: float) -> str:
    text = f"{100 * share:.0f}"
    return "0" if text == "-0" else text
