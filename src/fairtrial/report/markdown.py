"""The result as Markdown, for a pull request or a review."""

import re
from collections.abc import Mapping, Sequence

from fairtrial.base.formatting import bounded_below, figure, figure_in, plain_in, span, span_in
from fairtrial.base.printable import printable
from fairtrial.base.strict import Strict
from fairtrial.judge.model import ClaimResult, ConditionResult, Result
from fairtrial.judge.statistics.equivalence import Verdict
from fairtrial.report.causes import answer_sentence
from fairtrial.report.columns import (
    GOODPUT,
    NOT_PROVEN,
    RESPONSE_TIMES,
    Column,
    cells,
    explanation,
    in_order,
    limit_in_words,
    not_proven,
    other_columns,
    rank,
    request_rows,
    shows_class,
)
from fairtrial.report.grouping import grouped_findings, obstacles
from fairtrial.report.sentences import (
    blocks_in_words,
    claims_notes,
    loads_in_words,
    notes,
    shared_machine,
    workloads_in_words,
)

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!])")
"""Characters that have a meaning in Markdown, or in HTML inside it."""

CLAIMS_HEAD = ["| | claim | asked | published | measured | blocks |", "| --- " * 6 + "|"]

MARKS: Mapping[Verdict, str] = {"upheld": "✓", "refuted": "✗", "equal": "=", "undecided": "~"}


def markdown_text(result: Result) -> str:
    """The result as Markdown: claims with published and measured figures side by side, conditions, findings."""
    parts = [
        f"## {escape(result.title)}",
        "",
        escape(" · ".join([*workloads_in_words(result), *loads_in_words(result), blocks_in_words(result)])),
        "",
    ]
    if result.claims:
        parts += ["### Claims", "", *claims_table(result)]
        parts += ["", *(f"- {escape(claim.sentence)}" for claim in result.claims), ""]
        parts += [line for sentence in claims_notes(result) for line in (escape(sentence), "")]
    if result.causes is not None:
        parts += ["### Why", "", escape(" ".join([answer_sentence(result.causes), *result.causes.remarks])), ""]
    columns = other_columns(result)
    classed = shows_class(result.conditions)
    head = [
        "stack",
        *(["class"] if classed else []),
        "rank",
        "goodput/s",
        *(f"{column.title} ({column.unit})" for column in columns),
        "limit",
        "outcome",
    ]
    parts += ["### Conditions", "", row_text(head), "| --- " * len(head) + "|"]
    parts += [row_text(_cells(condition, columns, classed)) for condition in in_order(result.conditions)]
    parts += ["", escape(explanation(result.conditions, columns)), ""]
    parts += [f"{escape(sentence)}\n" for sentence in (*shared_machine(result), *notes(result))]
    if rows := request_rows(result):
        head = ["stack", "request", "goodput/s", *(f"{column.title} ({column.unit})" for column in RESPONSE_TIMES)]
        parts += ["### By request", "", row_text(head), "| --- " * len(head) + "|"]
        parts += [
            row_text([escape(condition.contender), escape(request.name), *cells(request, (GOODPUT, *RESPONSE_TIMES))])
            for condition, request in rows
        ]
        parts.append("")
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
    return [*CLAIMS_HEAD, *(claim_row(claim) for claim in map(claim_in_words, result.claims))]


class ClaimInWords(Strict):
    """A claim as its row shows it, as text for readers."""

    verdict: Verdict
    text: str
    asked: str
    published: str
    measured: str
    blocks: int


def claim_in_words(claim: ClaimResult) -> ClaimInWords:
    """The claim with its figures in the unit of its bound; a dash stands for what there is not."""
    measured = "–"
    if claim.estimate is not None:
        measured = bounded_below(figure_in(claim.estimate, claim.unit), claim.estimate_is_lower_bound)
    if claim.interval is not None:
        measured += f" ({span_in(claim.interval, claim.unit, open_above=claim.interval_open_above)})"
    value = claim.published
    published = plain_in(value, claim.unit) if isinstance(value, float) else value or "–"
    return ClaimInWords(
        verdict=claim.verdict,
        text=claim.text,
        asked=claim.asked,
        published=published,
        measured=measured,
        blocks=claim.blocks,
    )


def claim_row(claim: ClaimInWords) -> str:
    """The claim's line below `CLAIMS_HEAD`."""
    cells = [claim.text, claim.asked, claim.published, claim.measured, str(claim.blocks)]
    return row_text([f"{MARKS[claim.verdict]} {claim.verdict}", *map(escape, cells)])


def _cells(condition: ConditionResult, columns: Sequence[Column], classed: bool) -> list[str]:
    goodput = GOODPUT.of(condition)
    rate = "–" if goodput is None else figure(goodput.estimate)
    rate += f" ({span(goodput.interval)})" if goodput is not None and goodput.interval is not None else ""
    mark = f" ({NOT_PROVEN})" if not_proven(condition) else ""
    first_cells = [escape(condition.contender) + mark, *([condition.stack_class] if classed else [])]
    limit = limit_in_words(condition).removeprefix("limit: ") or "–"
    return [*first_cells, escape(rank(condition)), rate, *cells(condition, columns), limit, condition.outcome]


def row_text(cells: Sequence[str]) -> str:
    """A line of a table. The cells are Markdown already."""
    return f"| {' | '.join(cells)} |"


def escape(text: str) -> str:
    """Text as Markdown that shows it unchanged, wherever it comes from."""
    return SPECIAL.sub(r"\\\1", printable(text))
