"""The rows of boards in the terminal: how many stand, and by which arithmetic the others do not."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial_cross_examine.boards import all_boards
from fairtrial_cross_examine.boards.verdicts import ExaminedRow
from fairtrial_cross_examine.contradictions import contradiction_kinds
from fairtrial_cross_examine.examination import Examination
from fairtrial_cross_examine.in_words import names
from fairtrial_cross_examine.model import UnreadRow

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?![\w.])")
HEAD = ("board", "rows", "stands", "contradicts itself", "cannot be told")
EXAMPLES = 3
ROOM = 4
"""Reasons for which rows cannot be told, the most frequent first."""
NAMED_UNREAD = 12


def board_cells(rows: Sequence[ExaminedRow]) -> Iterator[Sequence[str]]:
    """The cells of each board, in the order of HEAD."""
    for board in dict.fromkeys(row.board for row in rows):
        verdicts = Counter(row.verdict for row in rows if row.board == board)
        counts = [verdicts.total(), verdicts["stands"], verdicts["contradicts itself"], verdicts["cannot be told"]]
        yield [board, *(f"{each:,}" for each in counts)]


def print_boards(examination: Examination, console: Console) -> None:
    """Print the table, each arithmetic with three examples, the most frequent reasons, and what the boards say.

    Text from the files cannot control the terminal.
    """
    rows = examination.rows
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for title in HEAD:
        table.add_column(title, justify="left" if title == HEAD[0] else "right", no_wrap=True)
    for cells in board_cells(rows):
        table.add_row(*cells)
    console.print(table, highlight=False)
    for board in dict.fromkeys(row.board for row in rows):
        for note in all_boards()[board].notes:
            console.print(_indented(f"{board}: {note}", style="dim"), highlight=False)
    for name in dict.fromkeys(kind for row in rows for kind in row.contradictions):
        _print_kind(name, [row for row in rows if name in row.contradictions], console)
    _print_reasons(rows, console)
    if examination.unread_rows:
        console.print()
        console.print(Text(unread_title(examination.unread_rows), style="bold"))
        for line in unread_lines(examination.unread_rows):
            console.print(_indented(line), highlight=False)
    if examination.passed_over:
        console.print()
        console.print(Text(f"Passed over, no board's: {names(examination.passed_over)}", style="dim"))


def unread_title(unread: Sequence[UnreadRow]) -> str:
    """`Not read: 2 rows`."""
    return f"Not read: {count(len(unread), 'row')}"


def unread_lines(unread: Sequence[UnreadRow]) -> Iterator[str]:
    """A line for each of the first rows that were not read, how many more there are, and what to do."""
    yield from (f"{each.source}: {each.row}: {each.why}" for each in unread[:NAMED_UNREAD])
    if len(unread) > NAMED_UNREAD:
        yield f"and {len(unread) - NAMED_UNREAD:,} more, all of them in --json"
    yield "→ correct these keys by what the board's tool printed; the other rows are judged without them"


def _print_kind(name: str, rows: Sequence[ExaminedRow], console: Console) -> None:
    kind = contradiction_kinds()[name]
    console.print()
    console.print(Text.assemble((f"{kind.title}: {count(len(rows), 'row')}", "bold"), (f"  {name}", "dim")))
    console.print(_indented(kind.formula, style="dim"), highlight=False)
    apart = max(len(rows) // EXAMPLES, 1)
    for row in rows[::apart][:EXAMPLES]:
        console.print(_indented(f"{row.contender}, {row.test}", style="bold"), highlight=False)
        console.print(_indented(row.says), highlight=False)
    console.print(_indented(f"→ {kind.ask}", style="dim"), highlight=False)


def _print_reasons(rows: Sequence[ExaminedRow], console: Console) -> None:
    untold = [row for row in rows if row.verdict == "cannot be told"]
    if not untold:
        return
    console.print()
    console.print(Text("Cannot be told, because", style="bold"))
    for reason, number in Counter(NUMBER.sub("…", row.says) for row in untold).most_common(ROOM):
        console.print(_indented(f"{number:,}: {reason}"), highlight=False)


def _indented(text: str, style: str = "") -> Padding:
    return Padding(Text(printable(text), style=style), (0, 0, 0, 2))
