"""The result as Markdown, for a pull request or a review."""

import re
from collections.abc import Sequence

from fairtrial.base.formatting import count, figure, figure_in, plain_in, span, span_in
from fairtrial.base.printable import printable
from fairtrial.judge.model import ConditionResult, Result
from fairtrial.report.columns import EXPLANATION, GOODPUT, Column, in_order, loads, notes, others, rank
from fairtrial.report.grouping import grouped_findings, obstacles

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")
"""Characters that Markdown or the HTML in it would obey."""

MARKS = {"upheld": "✓", "refuted": "✗", "undecided": "~"}


def markdown_text(result: Result) -> str:
    """Title, claims with what was published beside what was measured, conditions, findings."""
    parts = [
        f"## {said(result.title)}",
        "",
        said(" · ".join([*loads(result), count(result.blocks_complete, "block")])),
        "",
    ]
    if result.claims:
        parts += ["### Claims", "", *claims_table(result)]
        parts += ["", *(f"- {said(claim.sentence)}" for claim in result.claims), ""]
    columns = others(result)
    head = ["stack", "rank", "goodput/s", *(f"{column.title} ({column.unit})" for column in columns), "outcome"]
    parts += ["### Conditions", "", row_text(head), "| --- " * len(head) + "|"]
    parts += [row_text(_cells(condition, columns)) for condition in in_order(result.conditions)]
    parts += ["", said(EXPLANATION), "", *(f"{said(note)}\n" for note in notes(result))]
    found = [
        f"- **{group.severity}** {said(group.check)}, {said(group.where)}: {said(group.evidence)}"
        for group in grouped_findings(result)
        if group.severity != "note"
    ]
    found += [f"- **{one.outcome}** {said(one.contender)}: {said(one.reason)}" for one in obstacles(result)]
    if found:
        parts += ["### Findings", "", *found, ""]
    return "\n".join(parts).rstrip() + "\n"


def claims_table(result: Result) -> list[str]:
    """Lines: verdict, claim, what it asks, what was published, what was measured."""
    lines = ["| | claim | asked | published | measured | blocks |", "| --- " * 6 + "|"]
    for claim in result.claims:
        measured = "–" if claim.estimate is None else figure_in(claim.estimate, claim.unit)
        measured += f" ({span_in(claim.interval, claim.unit)})" if claim.interval is not None else ""
        words, unit = claim.published or "–", claim.unit
        published = plain_in(words, unit) if isinstance(words, float) else words
        cells = [claim.text, claim.asked, published, measured, str(claim.blocks)]
        lines.append(row_text([f"{MARKS[claim.verdict]} {claim.verdict}", *map(said, cells)]))
    return lines


def _cells(condition: ConditionResult, columns: Sequence[Column]) -> list[str]:
    goodput = GOODPUT.of(condition)
    rate = "–" if goodput is None else figure(goodput.estimate)
    rate += f" ({span(goodput.interval)})" if goodput is not None and goodput.interval is not None else ""
    shown = [column.of(condition) for column in columns]
    figures = ["–" if each is None else figure(each.estimate) for each in shown]
    return [said(condition.contender), said(rank(condition)), rate, *figures, condition.outcome]


def row_text(cells: Sequence[str]) -> str:
    """A line of a table, from cells that are Markdown already."""
    return f"| {' | '.join(cells)} |"


def said(text: str) -> str:
    """Text from anywhere, so that Markdown shows it as it is."""
    return SPECIAL.sub(r"\\\1", printable(text))
