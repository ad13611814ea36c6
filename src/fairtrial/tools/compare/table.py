"""A comparison in the terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.tools.compare.comparison import Comparison, Row
from fairtrial.tools.compare.outputs import between_runs, bounds_in_words, levels_in_words, row_cells

STYLES = {"regression": "bold red", "improvement": "green", "not compared": "yellow"}


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the table, what else differs, and what the words mean. Text from records cannot control the terminal."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("condition", overflow="fold")
    table.add_column("metric", overflow="fold")
    for title in ("before", "after", "after / before", "interval"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("change", no_wrap=True)
    for row in comparison.rows:
        table.add_row(*_cells(row))
    console.print(table, highlight=False)
    for reason in dict.fromkeys((row.condition, row.reason or "") for row in comparison.not_compared):
        console.print(Text(f"not compared: {': '.join(map(printable, reason))}"), style="yellow")
    if comparison.warnings:
        console.print()
        console.print(Text("Not only the programs differ, so a change may be due to any of these:"), style="yellow")
        for warning in comparison.warnings:
            console.print(Text(f"  {printable(warning)}"), highlight=False)
    console.print()
    console.print(
        Text(
            f"{count(len(comparison.regressions), 'regression')}: worse by more than {comparison.margin:.0%}, with an "
            "interval that excludes no change. ~ : neither a change nor its absence is proven. "
            + " ".join(
                filter(None, (levels_in_words(comparison), between_runs(comparison), bounds_in_words(comparison)))
            )
        ),
        highlight=False,
    )


def _cells(row: Row) -> list[Text]:
    *cells, change = map(printable, row_cells(row))
    return [*map(Text, cells), Text(change, style=STYLES.get(row.change, ""))]
