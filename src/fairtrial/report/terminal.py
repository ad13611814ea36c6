"""The result as text in the terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import bounded_below, count, figure, figure_in, span_in
from fairtrial.base.locations import place_of_docs
from fairtrial.base.printable import printable
from fairtrial.judge.model import ClaimResult, Result
from fairtrial.report.brief import all_findings, brief_findings, brief_obstacles, is_left_out, where_explained
from fairtrial.report.causes_table import causes_parts
from fairtrial.report.columns import (
    BY_REQUEST,
    GOODPUT,
    RESPONSE_TIMES,
    cells,
    explanation,
    marks_explained,
    request_rows,
)
from fairtrial.report.grouping import grouped_findings, numbered, obstacles
from fairtrial.report.sentences import (
    blocks_in_words,
    ceiling_in_words,
    claims_notes,
    engine_waits,
    floor_in_words,
    lanes_in_words,
    loads_in_words,
    notes,
    outcomes,
    when_stated,
    workloads_in_words,
)
from fairtrial.report.terminal_table import OUTCOME_STYLES, fitting_table

SCREEN_LINES = 30
"""A result with more has a line for each warning, and its notes in one: as much is seen at once on a small screen."""
ELLIPSIS = " …"
REPORT = "report, in one file: "
STYLES = {
    **OUTCOME_STYLES,
    "upheld": "bold green",
    "refuted": "bold red",
    "equal": "bold blue",
    "undecided": "bold yellow",
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
    answer: str | None = None,
) -> None:
    """Print title, load, table, claims, findings, what was not run, and the path of the HTML report.

    Markup and control characters in texts have no effect.

    Args:
        further: what is printed before the report's path, and is no part of the result.
        verbose: all that is in the report. Otherwise a screen: findings are grouped by check; what asks for nothing,
            the meanings of columns, and what is known beside the figure of a claim is left out.
        answer: the one that was asked for, as a sentence, in place of such a screen.
    """
    if answer is not None and not verbose:
        _print_answer(result, console, answer, report, further)
        return
    fitting = fitting_table(result, console)
    parts: list[RenderableType] = [_heading(result, verbose=verbose), Text(), fitting.table]
    if fitting.in_all_rows:
        parts.append(Text(fitting.in_all_rows, style="dim"))
    if not verbose:
        below = (*marks_explained(result.conditions), *_no_room(fitting.without_room))
        parts += [Text(words, style="dim") for words in below]
        _print_screen(result, console, [*parts, *_answers(result)], report, further)
        return
    parts.append(Text(f"\n{explanation(result.conditions, fitting.columns)}", style="dim"))
    parts += [Text(words, style="dim") for words in _circumstances(result, fitting.without_room)]
    parts += _requests(result)
    parts += _sentences(notes(result))
    parts += causes_parts(result.causes)
    parts += _section("Claims", [_claim(claim, claim.sentence) for claim in result.claims])
    parts += [Text(printable(sentence), style="dim") for sentence in claims_notes(result)]
    parts += _section("Findings", list(_findings(result)))
    parts += _section("Without figures", [_entry(*entry) for entry in _obstacles(result)])
    console.print(Group(*parts, *_end(result, report, further, verbose=True)), highlight=False, crop=False)


def _print_answer(
    result: Result, console: Console, answer: str, report: Path | None, further: Sequence[RenderableType]
) -> None:
    """Print an answer, the figures of the claims, and what has to be known or done."""
    parts: list[RenderableType] = [Text(printable(answer), style="bold", overflow="fold")]
    rates = [(each.contender, GOODPUT.of(each)) for each in result.conditions]
    if figures := [f"{printable(name)} {figure(rate.estimate)}/s" for name, rate in rates if rate is not None]:
        parts.append(Text(f"  goodput: {', '.join(figures)}", overflow="fold"))
    parts += causes_parts(result.causes, with_sentence=False)
    for claim in result.claims:
        reasons = _not_settled(claim) if claim is result.claims[0] else []
        parts += [Padding(part, (0, 0, 0, 2)) for part in (_claim_head(claim), *map(Text, reasons))]
    parts += _briefly(result, in_short=True, with_notes=False)
    console.print(Group(*parts, *_end(result, report, further, verbose=False)), highlight=False, crop=False)


def _print_screen(
    result: Result,
    console: Console,
    parts: Sequence[RenderableType],
    report: Path | None,
    further: Sequence[RenderableType],
) -> None:
    """Print these parts, and the findings below them: in short if it would be more than a screen otherwise."""
    end = list(_end(result, report, further, verbose=False))
    findings = list(_briefly(result))
    if findings and len(console.render_lines(Group(*parts, Text(), *findings, *end))) > SCREEN_LINES:
        findings = list(_briefly(result, in_short=True))
    console.print(Group(*parts, *([Text(), *findings] if findings else []), *end), highlight=False, crop=False)


def _end(
    result: Result, report: Path | None, further: Sequence[RenderableType], *, verbose: bool
) -> Iterator[RenderableType]:
    """The lines below the findings: whether all of it was done, and where more of it is. Paths and commands are in one
    piece, to be copied, however long."""
    if result.interrupted:
        complete = f"interrupted: {result.blocks_complete} of {count(result.blocks_planned, 'block')} complete"
        yield from (Text(), Text(complete, style="bold yellow"))
    yield from further
    left_out = "" if verbose else _left_out(result)
    if left_out or report is not None:
        yield Text()
    if left_out:
        yield Text(f"--verbose prints {left_out}" + ("" if report is None else ", which the report has"), style="dim")
    if explained := where_explained(each for _, each in all_findings(result)):
        yield Text(explained, style="dim", no_wrap=True, overflow="ignore")
    if place := place_of_docs("\n".join(_remedies(result, verbose=verbose))):
        yield Text(place, style="dim", no_wrap=True, overflow="ignore")
    if report is not None:
        yield Text.assemble(REPORT, (printable(str(report)), "bold"), no_wrap=True, overflow="ignore")


def _heading(result: Result, *, verbose: bool) -> Text:
    lines = [
        *workloads_in_words(result),
        *(f"load: {load}" for load in loads_in_words(result)),
        *(engine_waits(result) if verbose else []),
        blocks_in_words(result),
    ]
    return Text.assemble(
        (printable(result.title), "bold"), "\n", (printable(" · ".join(lines)), "dim"), overflow="fold"
    )


def _no_room(titles: Sequence[str]) -> Iterator[str]:
    if titles:
        yield f"no room for: {', '.join(titles)}"


def _circumstances(result: Result, without_room: Sequence[str]) -> Iterator[str]:
    """The lines below the table: columns without room, lanes, and how far the load engine itself goes."""
    yield from _no_room(without_room)
    yield from lanes_in_words(result)
    yield from filter(None, (ceiling_in_words(result), floor_in_words(result)))


def _sentences(sentences: Sequence[str]) -> list[RenderableType]:
    return [Text(), *(Text(printable(sentence)) for sentence in sentences)] if sentences else []


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


def _section(title: str, items: list[RenderableType]) -> list[RenderableType]:
    return [Text(), Text(title, style="bold underline"), *items] if items else []


def _answers(result: Result) -> Iterator[RenderableType]:
    yield from (*_sentences(outcomes(result)), *causes_parts(result.causes), *_claims(result))


def _claims(result: Result) -> Iterator[RenderableType]:
    """Every claim in short: its verdict and figure, its text, and what would decide it if it is not."""
    if result.claims:
        yield Text()
    for claim in result.claims:
        yield _claim(claim, " ".join([f"{claim.text.strip().rstrip('.')}.", *_not_settled(claim)]))
    yield from (Text(printable(sentence), style="dim") for sentence in when_stated(result))


def _not_settled(claim: ClaimResult) -> list[str]:
    """The reason for a claim that is neither upheld nor refuted, and what would decide or overturn it."""
    if claim.reason is None:
        return []
    why = f"Equal: {claim.reason}." if claim.verdict == "equal" else f"Undecided, because {claim.reason}."
    return [printable(part) for part in (why, claim.ending) if part]


def _claim(claim: ClaimResult, words: str) -> RenderableType:
    return Group(_claim_head(claim), Padding(Text(printable(words)), (0, 0, 0, 2)))


def _claim_head(claim: ClaimResult) -> Text:
    """`upheld  twice-as-fast  2.31 (2.10 to 2.52), asked: at least 2`."""
    head = Text.assemble((claim.verdict, STYLES[claim.verdict]), "  ", (printable(claim.id), "bold"))
    if claim.estimate is not None:
        measured = bounded_below(figure_in(claim.estimate, claim.unit), claim.estimate_is_lower_bound)
        interval = "no interval"
        if claim.interval is not None:
            interval = span_in(claim.interval, claim.unit, open_above=claim.interval_open_above)
        head.append(f"  {measured} ({interval}), asked: {printable(claim.asked)}")
    return head


def _findings(result: Result) -> Iterator[RenderableType]:
    for group in grouped_findings(result):
        yield _entry(group.severity, f"{group.check}, {group.where}", group.evidence, group.remedy)


def _briefly(result: Result, *, in_short: bool = False, with_notes: bool = True) -> Iterator[RenderableType]:
    """Refusals, warnings and what was not run with their remedies, each remedy once; of a note, one line.

    Args:
        in_short: of a warning one line, which may end early; notes by name alone.
    """
    known_remedies: set[str] = set()
    entries = [*brief_findings(result), *brief_obstacles(result)]
    for each in entries:
        head = Text.assemble((each.word, STYLES[each.word]), "  ", (printable(each.check), "bold"))
        if each.word == "note":
            if not in_short:
                yield _OneLine(head.append("  "), f"{each.where}: {'; '.join(each.texts)}")
            continue
        if in_short and each.word == "warning":
            yield _OneLine(head.append(": "), "; ".join(each.remedies or each.texts), f"({each.where})")
            continue
        head.append(f"{', ' if each.check else ''}{printable(each.where)}", "bold")
        lines = [*map(Text, each.texts), *(_remedy(remedy) for remedy in each.remedies if remedy not in known_remedies)]
        yield head
        yield from (Padding(line, (0, 0, 0, 2)) for line in lines)
        known_remedies.update(each.remedies)
    if in_short and with_notes and (names := [each.check for each in entries if each.word == "note"]):
        yield Text.assemble(("note", STYLES["note"]), f"  {', '.join(names)}")


def _left_out(result: Result) -> str:
    """The parts that are not printed without `--verbose`: `12 notes, figures by request`; empty if that is nothing."""
    notes_left_out = sum(is_left_out(finding) for _, finding in all_findings(result))
    parts = [count(notes_left_out, "note")] if notes_left_out else []
    return ", ".join([*parts, *(["figures by request"] if request_rows(result) else [])])


def _remedies(result: Result, *, verbose: bool) -> Iterator[str]:
    """The remedies that are printed."""
    if verbose:
        yield from (finding.remedy for _, finding in all_findings(result))
    yield from (remedy for brief in (*brief_findings(result), *brief_obstacles(result)) for remedy in brief.remedies)


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
        lines.append(Padding(_remedy(remedy), (0, 0, 0, 2)))
    return Group(*lines)


def _remedy(remedy: str) -> Text:
    return Text.assemble("→ ", printable(remedy), style="dim")


@dataclass(frozen=True)
class _OneLine:
    """A text as a single line: where the terminal has no room, without its rest, then without its last words."""

    head: Text
    words: str
    rest: str = ""

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width
        line = self.head.copy().append(printable(self.words))
        rest = Text(f" {printable(self.rest)}" if self.rest else "")
        if line.cell_len + rest.cell_len <= room:
            line.append(rest)
        elif line.cell_len > room:
            line.truncate(room - len(ELLIPSIS))
            line.right_crop(len(line) - max(line.plain.rfind(" "), len(self.head)))
            line.append(ELLIPSIS)
        line.no_wrap, line.overflow = True, "ellipsis"
        yield line
