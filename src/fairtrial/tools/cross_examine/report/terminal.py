"""A cross-examination in the terminal."""

from itertools import groupby

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fairtrial.base.printable import printable
from fairtrial.tools.cross_examine.contradictions import all_kinds
from fairtrial.tools.cross_examine.contradictions.model import Contradiction
from fairtrial.tools.cross_examine.examination import Examination
from fairtrial.tools.cross_examine.in_words import names
from fairtrial.tools.cross_examine.report.table import HEAD, LIMITS, rows, verdict


def print_examination(examination: Examination, console: Console) -> None:
    """Print what was read, each contradiction with its figures, formula and question, and what this cannot see.

    Text from the files cannot control the terminal.
    """
    console.print(_table(examination), highlight=False)
    console.print()
    style = "bold red" if examination.contradictions else "bold green"
    console.print(Text(verdict(examination), style=style))
    for kind, contradictions in groupby(examination.contradictions, key=lambda each: each.kind):
        console.print()
        console.print(Text.assemble((all_kinds()[kind].title, "bold"), (f"  {kind}", "dim")))
        for contradiction in contradictions:
            _print_contradiction(contradiction, console)
    console.print()
    console.print(Text(LIMITS, style="dim"))


def _table(examination: Examination) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    for place, title in enumerate(HEAD):
        if place < 2:
            table.add_column(title, overflow="fold")
        else:
            table.add_column(title, justify="right", no_wrap=True)
    for row in rows(examination):
        table.add_row(*(Text(printable(cell)) for cell in row.cells))
    return table


def _print_contradiction(contradiction: Contradiction, console: Console) -> None:
    lines = [Text(names(contradiction.runs), style="bold")] if contradiction.runs else []
    lines += [
        Text(contradiction.says),
        Text(f"= {contradiction.formula}", style="dim"),
        Text(f"→ {contradiction.ask}", style="dim"),
    ]
    for line in lines:
        console.print(Padding(line, (0, 0, 0, 2)), highlight=False)
