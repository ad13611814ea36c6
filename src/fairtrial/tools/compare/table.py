"""A comparison in the terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.tools.compare.comparison import RunComparison
from fairtrial.tools.compare.outputs import bounds_in_words, levels_in_words, row_cells, scatter_in_words

WIDE_COLUMNS = 120
STYLES = {"regression": "bold red", "improvement": "green", "not compared": "yellow"}


def print_comparison(comparison: RunComparison, console: Console) -> None:
    """Print the table, what else differs, and what the words mean. Text from records cannot control the terminal."""
    console.print(_table(comparison, wide=console.width >= WIDE_COLUMNS), highlight=False)
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
                filter(None, (levels_in_words(comparison), scatter_in_words(comparison), bounds_in_words(comparison)))
            )
        ),
        highlight=False,
    )


def _table(comparison: RunComparison, *, wide: bool) -> Table:
    """A row for each comparison. Where there is less room, the metric stands below the condition and the interval below
    the ratio: no name is broken."""
    table = Table(box=None, padding=(0, 2 if wide else 1, 0, 0), show_edge=False, header_style="bold")
    titles = ["condition", "metric", "before", "after", "after / before", "interval", "change"]
    below = [] if wide else [("metric", "condition"), ("interval", "after / before"), ("change", "condition")]
    for title in titles:
        if title not in dict(below):
            left = title in ("condition", "metric", "change")
            table.add_column(title, justify="left" if left else "right", overflow="fold", no_wrap=not left)
    for row in comparison.rows:
        *texts, change = map(printable, row_cells(row))
        cells = dict(zip(titles, map(Text, [*texts, change]), strict=True))
        cells["change"].stylize(STYLES.get(row.change, ""))
        for title, above in below:
            text = cells.pop(title)
            cells[above].append("\n").append_text(text if title == "change" else Text(text.plain, "dim"))
        table.add_row(*cells.values())
    return table
