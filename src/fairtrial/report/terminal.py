"""The result as text in the terminal."""

from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import bounded_below, count, figure, figure_in, span, span_in
from fairtrial.base.printable import printable
from fairtrial.judge.model import ClaimResult, ConditionResult, Result
from fairtrial.report.columns import (
    BY_REQUEST,
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
from fairtrial.report.grouping import brief_findings, grouped_findings, numbered, obstacles
from fairtrial.report.sentences import (
    ceiling_in_words,
    claims_notes,
    floor_in_words,
    lanes_in_words,
    loads_in_words,
    notes,
    waits_in_words,
    workloads_in_words,
)

WIDE_COLUMNS = 100
"""From this width on, an interval has a column of its own."""
FEWEST_COLUMNS = 1
"""After goodput: p50 stays, however narrow the terminal is; the report has the others."""
MEASURED_COLUMNS = 1000
LONGEST_NAME = 24
"""In a narrow table, of a name in one piece."""
CLASS_COLUMNS = 12
"""What a column of classes takes. Without the room for it, the class stands below the name."""
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


def print_result(
    result: Result,
    console: Console,
    report: Path | None = None,
    further: Sequence[RenderableType] = (),
    *,
    verbose: bool = True,
) -> None:
    """Print title, load, table, claims, findings, what was not run, and the path of the HTML report.

    Markup and control characters in texts have no effect.

    Args:
        further: what is printed before the report's path, and is no part of the result.
        verbose: all that is in the report. Otherwise findings are grouped by check, those that ask for nothing are left
            out, and of a claim that is decided only what is known beside its figure.
    """
    parts: list[RenderableType] = [_heading(result), Text(), _table(result, console), _explanation(result)]
    limits = (*lanes_in_words(result), *((ceiling_in_words(result), floor_in_words(result)) if verbose else ()))
    parts += [Text(limit, style="dim") for limit in limits if limit]
    parts += _requests(result)
    if sentences := notes(result):
        parts += [Text(), *(Text(printable(sentence)) for sentence in sentences)]
    about_claims = [Text(printable(sentence), style="dim") for sentence in claims_notes(result)]
    parts += _section("Claims", [*(_claim(claim, verbose=verbose) for claim in result.claims), *about_claims])
    parts += _section("Findings", [_entry(*entry) for entry in _findings(result)] if verbose else _brief(result))
    parts += _section("Without figures", [_entry(*entry) for entry in _obstacles(result)])
    if result.interrupted:
        parts += [
            Text(),
            Text(
                f"interrupted: {result.blocks_complete} of {count(result.blocks_planned, 'block')} complete",
                style="bold yellow",
            ),
        ]
    parts += further
    if not verbose and (unsaid := _unsaid(result)):
        parts += [Text(), Text(f"{count(unsaid, 'note')} more in the report (--verbose)", style="dim")]
    if report is not None:
        parts += [Text(), Text.assemble("report: ", (printable(str(report)), "bold"), overflow="fold")]
    console.print(Group(*parts), highlight=False)


def _heading(result: Result) -> Text:
    lines = [
        *workloads_in_words(result),
        *(f"load: {load}" for load in loads_in_words(result)),
        *waits_in_words(result),
        count(result.blocks_complete - len(result.blocks_left_out), "block"),
    ]
    return Text.assemble(
        (printable(result.title), "bold"), "\n", (printable(" · ".join(lines)), "dim"), overflow="fold"
    )


def _table(result: Result, console: Console) -> Table:
    """The table of conditions: the widest form that fits, with all words in one piece."""
    columns = other_columns(result)
    classed = shows_class(result.conditions)
    wide = console.width >= WIDE_COLUMNS + (CLASS_COLUMNS if classed else 0)
    table = _table_of(result, columns, wide=wide, outcome_below=False)
    if wide or _fits(table, console):
        return table
    for left in range(len(columns), FEWEST_COLUMNS - 1, -1):
        table = _table_of(result, columns[:left], wide=False, outcome_below=True)
        if _fits(table, console):
            break
    return table


def _fits(table: Table, console: Console) -> bool:
    return Measurement.get(console, console.options.update(max_width=MEASURED_COLUMNS), table).minimum <= console.width


def _table_of(result: Result, columns: Sequence[Column], *, wide: bool, outcome_below: bool) -> Table:
    """The table with these columns after goodput.

    Args:
        wide: class and interval have columns of their own.
        outcome_below: the outcome stands below the name.
    """
    classed = shows_class(result.conditions)
    table = Table(box=None, padding=(0, 2 if wide else 1, 0, 0), show_edge=False, header_style="bold")
    ranked = any(condition.rank is not None for condition in result.conditions)
    longest = max((len(printable(each.contender)) for each in result.conditions), default=0)
    table.add_column("stack", overflow="fold", min_width=10 if wide else min(max(longest, 10), LONGEST_NAME))
    if classed and wide:
        table.add_column("class", no_wrap=True)
    if ranked:
        table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("goodput/s", justify="right", no_wrap=True)
    if wide:
        table.add_column("95% interval", justify="right", no_wrap=True)
    for column in columns:
        table.add_column(f"{column.title}\n{column.unit}", justify="right", no_wrap=True)
    if not outcome_below:
        table.add_column("outcome", no_wrap=True)
    for condition in in_order(result.conditions):
        goodput = GOODPUT.of(condition)
        interval = span(goodput.interval) if goodput is not None and goodput.interval is not None else "–"
        rate = "–" if goodput is None else figure(goodput.estimate)
        outcome = Text(condition.outcome, style=STYLES[condition.outcome])
        below = [condition.stack_class] if classed and not wide else []
        row: list[RenderableType] = [_name(condition, below, outcome if outcome_below else None)]
        if classed and wide:
            row.append(condition.stack_class)
        if ranked:
            row.append(rank(condition))
        if wide:
            row += [rate, interval]
        else:
            row.append(
                rate if goodput is None or goodput.interval is None else Text.assemble(rate, "\n", (interval, "dim"))
            )
        table.add_row(*row, *cells(condition, columns), *([] if outcome_below else [outcome]))
    for each in table.columns[1:]:  # what has several words is measured as if it might be wrapped
        each.min_width = max(cell_len(line) for cell in each.cells for line in str(cell).splitlines() or [""])
    return table


def _name(condition: ConditionResult, below: Sequence[str], outcome: Text | None) -> Text:
    """A condition's name, and what stands below it."""
    name = Text(printable(condition.contender), style="bold")
    if outcome is not None:
        name.append("\n").append_text(outcome)
    for text in [*below, *filter(None, [limit_in_words(condition)])]:
        name.append(f"\n{text}", "not bold dim")
    if not_proven(condition):
        name.append(f"\n{NOT_PROVEN}", "not bold yellow")
    return name


def _requests(result: Result) -> list[RenderableType]:
    """The table by request; nothing if no mix has several."""
    rows = request_rows(result)
    if not rows:
        return []
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("stack", overflow="fold", min_width=10)
    table.add_column("request", overflow="fold")
    table.add_column("goodput/s", justify="right", no_wrap=True)
    for column in RESPONSE_TIMES:
        table.add_column(f"{column.title}\n{column.unit}", justify="right", no_wrap=True)
    last = None
    for condition, request in rows:
        name = "" if condition is last else printable(condition.contender)
        figures = cells(request, (GOODPUT, *RESPONSE_TIMES))
        table.add_row(Text(name, style="bold"), Text(printable(request.name)), *figures)
        last = condition
    return [Text(), table, Text(f"\n{BY_REQUEST}", style="dim")]


def _explanation(result: Result) -> Text:
    return Text(f"\n{explanation(result.conditions, other_columns(result))}", style="dim")


def _section(title: str, items: list[RenderableType]) -> list[RenderableType]:
    return [Text(), Text(title, style="bold underline"), *items] if items else []


def _claim(claim: ClaimResult, *, verbose: bool) -> RenderableType:
    head = Text.assemble((claim.verdict, STYLES[claim.verdict]), "  ", (printable(claim.id), "bold"))
    if claim.estimate is not None:
        measured = bounded_below(figure_in(claim.estimate, claim.unit), claim.estimate_is_lower_bound)
        interval = "no interval"
        if claim.interval is not None:
            interval = span_in(claim.interval, claim.unit, open_above=claim.interval_open_above)
        head.append(f"  {measured} ({interval}), asked: {printable(claim.asked)}")
    words = claim.sentence
    if claim.verdict != "undecided" and not verbose:
        words = " ".join([f"{claim.text.strip().rstrip('.')}.", *claim.remarks])
    return Group(head, Padding(Text(printable(words)), (0, 0, 0, 2)))


def _findings(result: Result) -> list[tuple[str, str, str, str]]:
    return [
        (group.severity, f"{group.check}, {group.where}", group.evidence, group.remedy)
        for group in grouped_findings(result)
    ]


def _brief(result: Result) -> list[RenderableType]:
    """Refusals and warnings with their remedies; of a note, one line."""
    entries: list[RenderableType] = []
    for each in brief_findings(result):
        if each.severity != "note":
            entries.append(_entry(each.severity, f"{each.check}, {each.where}", each.evidence, each.remedy))
            continue
        line = Text.assemble((each.severity, STYLES["note"]), "  ", (printable(each.check), "bold"))
        line.append(f"  {printable(each.evidence)}")
        line.no_wrap, line.overflow = True, "ellipsis"
        entries.append(line)
    return entries


def _unsaid(result: Result) -> int:
    """How many findings ask for nothing."""
    findings = [*result.findings, *(finding for claim in result.claims for finding in claim.findings)]
    for condition in result.conditions:
        findings += [finding for trial in condition.trials for finding in trial.findings]
    return sum(finding.asks_nothing for finding in findings)


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
