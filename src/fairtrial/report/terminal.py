"""The result as text in the terminal."""

from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import count, figure, figure_in, span, span_in
from fairtrial.base.printable import printable
from fairtrial.judge.model import ClaimResult, Result
from fairtrial.report.columns import EXPLANATION, GOODPUT, in_order, other_columns, rank
from fairtrial.report.grouping import grouped_findings, numbered, obstacles
from fairtrial.report.sentences import ceiling_in_words, loads_in_words, notes, workloads_in_words

WIDE_COLUMNS = 100
"""From this width on, an interval has a column of its own."""
STYLES = {
    "upheld": "bold green",
    "refuted": "bold red",
    "undecided": "bold yellow",
    "valid": "green",
    "refused": "bold red",
    "not run": "yellow",
    "refusal": "bold red",
    "warning": "yellow",
    "note": "cyan",
}


def print_result(result: Result, console: Console, report: Path | None = None) -> None:
    """Print title, load, table, claims, findings, what was not run, and the path of the HTML report.

    Markup and control characters in texts have no effect.
    """
    parts: list[RenderableType] = [_heading(result), Text(), _table(result, console.width), _explanation()]
    ceiling = ceiling_in_words(result)
    if ceiling:
        parts.append(Text(ceiling, style="dim"))
    if sentences := notes(result):
        parts += [Text(), *(Text(printable(sentence)) for sentence in sentences)]
    parts += _section("Claims", [_claim(claim) for claim in result.claims])
    parts += _section("Findings", [_entry(*entry) for entry in _findings(result)])
    parts += _section("Without figures", [_entry(*entry) for entry in _obstacles(result)])
    if result.interrupted:
        parts += [
            Text(),
            Text(
                f"interrupted: {result.blocks_complete} of {count(result.blocks_planned, 'block')} complete",
                style="bold yellow",
            ),
        ]
    if report is not None:
        parts += [Text(), Text.assemble("report: ", (printable(str(report)), "bold"), overflow="fold")]
    console.print(Group(*parts), highlight=False)


def _heading(result: Result) -> Text:
    lines = [
        *workloads_in_words(result),
        *(f"load: {load}" for load in loads_in_words(result)),
        count(result.blocks_planned, "block"),
    ]
    return Text.assemble(
        (printable(result.title), "bold"), "\n", (printable(" · ".join(lines)), "dim"), overflow="fold"
    )


def _table(result: Result, width: int) -> Table:
    wide = width >= WIDE_COLUMNS
    table = Table(box=None, padding=(0, 2 if wide else 1, 0, 0), show_edge=False, header_style="bold")
    ranked = any(condition.rank is not None for condition in result.conditions)
    table.add_column("stack", overflow="fold", min_width=10)
    if ranked:
        table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("goodput/s", justify="right", no_wrap=True)
    if wide:
        table.add_column("95% interval", justify="right", no_wrap=True)
    columns = other_columns(result)
    for column in columns:
        table.add_column(f"{column.title}\n{column.unit}", justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    for condition in in_order(result.conditions):
        goodput = GOODPUT.of(condition)
        interval = span(goodput.interval) if goodput is not None and goodput.interval is not None else "–"
        rate = "–" if goodput is None else figure(goodput.estimate)
        cells: list[RenderableType] = [Text(printable(condition.contender), style="bold")]
        if ranked:
            cells.append(rank(condition))
        if wide:
            cells += [rate, interval]
        else:
            cells.append(
                rate if goodput is None or goodput.interval is None else Text.assemble(rate, "\n", (interval, "dim"))
            )
        for column in columns:
            estimate = column.of(condition)
            cells.append("–" if estimate is None else figure(estimate.estimate))
        table.add_row(*cells, Text(condition.outcome, style=STYLES[condition.outcome]))
    return table


def _explanation() -> Text:
    return Text(f"\n{EXPLANATION}", style="dim")


def _section(title: str, items: list[RenderableType]) -> list[RenderableType]:
    return [Text(), Text(title, style="bold underline"), *items] if items else []


def _claim(claim: ClaimResult) -> RenderableType:
    head = Text.assemble((claim.verdict, STYLES[claim.verdict]), "  ", (printable(claim.id), "bold"))
    if claim.estimate is not None:
        interval = "no interval" if claim.interval is None else span_in(claim.interval, claim.unit)
        head.append(f"  {figure_in(claim.estimate, claim.unit)} ({interval}), asked: {printable(claim.asked)}")
    return Group(head, Padding(Text(printable(claim.sentence)), (0, 0, 0, 2)))


def _findings(result: Result) -> list[tuple[str, str, str, str]]:
    return [
        (group.severity, f"{group.check}, {group.where}", group.evidence, group.remedy)
        for group in grouped_findings(result)
    ]


def _obstacles(result: Result) -> list[tuple[str, str, str, str]]:
    return [
        (
            obstacle.outcome,
            f"{obstacle.contender}, {numbered(obstacle.trials)}" if obstacle.trials else obstacle.contender,
            obstacle.reason,
            obstacle.remedy,
        )
        for obstacle in obstacles(result)
    ]


def _entry(word: str, where: str, what: str, remedy: str) -> RenderableType:
    head = Text.assemble((word, STYLES[word]), "  ", (printable(where), "bold"))
    lines: list[RenderableType] = [head, Padding(Text(printable(what)), (0, 0, 0, 2))]
    if remedy:
        lines.append(Padding(Text.assemble("→ ", printable(remedy), style="dim"), (0, 0, 0, 2)))
    return Group(*lines)
