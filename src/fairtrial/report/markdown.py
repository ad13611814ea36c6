"""The result as Markdown, for a pull request or a review."""

import re
from collections.abc import Sequence

from fairtrial.base.formatting import count, figure, figure_in, plain_in, span, span_in
from fairtrial.base.printable import printable
from fairtrial.judge.model import ConditionResult, Result
from fairtrial.report.columns import EXPLANATION, GOODPUT, Column, in_order, other_columns, rank
from fairtrial.report.grouping import grouped_findings, obstacles
from fairtrial.report.sentences import loads_in_words, notes, workloads_in_words

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")
"""Characters that have a meaning in Markdown, or in HTML inside it."""

MARKS = {"upheld": "✓", "refuted": "✗", "undecided": "~"}


def markdown_text(result: Result) -> str:
    """The result as Markdown: claims with published and measured figures side by side, conditions, findings."""
    parts = [
        f"## {escape(result.title)}",
        "",
        escape(
            " · ".join([*workloads_in_words(result), *loads_in_words(result), count(result.blocks_complete, "block")])
        ),
        "",
    ]
    if result.claims:
        parts += ["### Claims", "", *claims_table(result)]
        parts += ["", *(f"- {escape(claim.sentence)}" for claim in result.claims), ""]
    columns = other_columns(result)
    head = ["stack", "rank", "goodput/s", *(f"{column.title} ({column.unit})" for column in columns), "outcome"]
    parts += ["### Conditions", "", row_text(head), "| --- " * len(head) + "|"]
    parts += [row_text(_cells(condition, columns)) for condition in in_order(result.conditions)]
    parts += ["", escape(EXPLANATION), "", *(f"{escape(note)}\n" for note in notes(result))]
    findings = [
        f"- **{group.severity}** {escape(group.check)}, {escape(group.where)}: {escape(group.evidence)}"
        for group in grouped_findings(result)
        if group.severity != "note"
    ]
    findings += [
        f"- **{obstacle.outcome}** {escape(obstacle.contender)}: {escape(obstacle.reason)}"
        for obstacle in obstacles(result)
    ]
    if findings:
        parts += ["### Findings", "", *findings, ""]
    return "\n".join(parts).rstrip() + "\n"


def claims_table(result: Result) -> list[str]:
    """The lines of a table with a row for each claim: verdict, text, bound, published and measured figure, blocks."""
    lines = ["| | claim | asked | published | measured | blocks |", "| --- " * 6 + "|"]
    for claim in result.claims:
        measured = "–" if claim.estimate is None else figure_in(claim.estimate, claim.unit)
        measured += f" ({span_in(claim.interval, claim.unit)})" if claim.interval is not None else ""
        words, unit = claim.published or "–", claim.unit
        published = plain_in(words, unit) if isinstance(words, float) else words
        cells = [claim.text, claim.asked, published, measured, str(claim.blocks)]
        lines.append(row_text([f"{MARKS[claim.verdict]} {claim.verdict}", *map(escape, cells)]))
    return lines


def _cells(condition: ConditionResult, columns: Sequence[Column]) -> list[str]:
    goodput = GOODPUT.of(condition)
    rate = "–" if goodput is None else figure(goodput.estimate)
    rate += f" ({span(goodput.interval)})" if goodput is not None and goodput.interval is not None else ""
    estimates = [column.of(condition) for column in columns]
    figures = ["–" if estimate is None else figure(estimate.estimate) for estimate in estimates]
    return [escape(condition.contender), escape(rank(condition)), rate, *figures, condition.outcome]


def row_text(cells: Sequence[str]) -> str:
    """A line of a table. The cells are Markdown already."""
    return f"| {' | '.join(cells)} |"


def escape(text: str) -> str:
    """Text as Markdown that shows it unchanged, wherever it comes from."""
    return SPECIAL.sub(r"\\\1", printable(text))
