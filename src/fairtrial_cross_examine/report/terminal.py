"""A cross-examination in the terminal."""

from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT
from fairtrial.base.printable import printable
from fairtrial_cross_examine.contradictions import contradiction_kinds
from fairtrial_cross_examine.examination import Examination
from fairtrial_cross_examine.in_words import names, printed_name
from fairtrial_cross_examine.report.boards import print_boards
from fairtrial_cross_examine.report.table import GAPS_TITLE, HEAD, LIMITS, gaps, table_rows, verdict

LONGEST_GAP = 300


def print_examination(examination: Examination, console: Console) -> None:
    """Print what was read, each contradiction with its figures, formula and question, and what this cannot see.

    Text from the files cannot control the terminal.
    """
    if examination.rows:
        print_boards(examination, console)
        return
    console.print(_table(examination), highlight=False)
    console.print()
    style = {ALL_WELL: "bold green", IN_DOUBT: "bold yellow"}.get(examination.exit_status, "bold red")
    console.print(Text(verdict(examination), style=style))
    for name, contradictions in groupby(examination.contradictions, key=lambda each: each.kind):
        kind = contradiction_kinds()[name]
        console.print()
        console.print(Text.assemble((kind.title, "bold"), (f"  {name}", "dim")))
        console.print(_indented(Text(kind.formula, style="dim")), highlight=False)
        for ask, same in groupby(contradictions, key=lambda each: each.ask):
            for contradiction in same:
                if contradiction.runs:
                    console.print(_indented(Text(names(contradiction.runs), style="bold")), highlight=False)
                console.print(_indented(Text(contradiction.says)), highlight=False)
            console.print(_indented(Text(f"→ {ask}", style="dim")), highlight=False)
    if missing := gaps(examination):
        console.print()
        console.print(Text(GAPS_TITLE, style="bold"))
        for run, each in groupby(missing, key=lambda gap: gap[0]):
            console.print(_indented(Text(printed_name(run), style="bold")), highlight=False)
            for _, says in each:
                console.print(_indented(Text(printable(says, LONGEST_GAP))), highlight=False)
    console.print()
    console.print(Text(LIMITS, style="dim"))


def _table(examination: Examination) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for place, title in enumerate(HEAD):
        if place < 2:
            table.add_column(title, overflow="fold", min_width=len("connections") if place else None)
        else:
            table.add_column(title, justify="right", no_wrap=True)
    for cells in table_rows(examination):
        table.add_row(*(Text(printable(cell)) for cell in cells))
    return table


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2))
