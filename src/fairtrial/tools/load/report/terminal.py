"""The outcome of a load in the terminal."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fairtrial.base.printable import printable
from fairtrial.report.brief import where_explained
from fairtrial.report.terminal import STYLES
from fairtrial.tools.load.advice import remedy, warnings
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.bars import histogram_lines
from fairtrial.tools.load.report.figures import (
    FigureTable,
    capacities,
    events_table,
    goodput_in_words,
    journeys_table,
    measured_facts,
    notes_on_times,
    probes_table,
    requests_table,
    times_table,
)

EXAMPLES_SHOWN = 3
FEWEST_FOR_A_HISTOGRAM = 20


def print_measurement(console: Console, measurement: Measurement, *, verbose: bool = False) -> None:
    """Print the load, the capacity if one was searched, and the goodput; then times, errors by kind with a remedy,
    warnings, and notes.

    Text from the server is printed as it is: neither markup nor control characters in it have an effect.

    Args:
        verbose: the distribution of times, further facts, and the runs of a search for the capacity, too.
    """
    words = Table.grid(padding=(0, 2))
    style = "bold green" if measurement.summary.verified else "bold red"
    for capacity in capacities(measurement):
        words.add_row("capacity", Text(capacity, style="bold"))
    words.add_row("goodput", Text(goodput_in_words(measurement), style=style))
    for name, fact in measured_facts(measurement, verbose=verbose):
        words.add_row(name, fact)
    parts: list[RenderableType] = [
        Text(printable(measurement.url), style="bold", overflow="fold"),
        Text(f"load: {measurement.load.describe()}"),
        Text(),
        words,
    ]
    if (times := times_table(measurement, verbose=verbose)) is not None:
        parts += [Text(), _table(times)]
        parts += [Text(note, style="dim") for note in notes_on_times(measurement, verbose=verbose)]
        parts += _histogram(measurement, console) if verbose else []
    if (events := events_table(measurement)) is not None:
        parts += [Text(), _table(events)]
    if (requests := requests_table(measurement)) is not None:
        parts += [Text(), _table(requests)]
    if (journeys := journeys_table(measurement)) is not None:
        parts += [Text(), _table(journeys)]
    if verbose and (probes := probes_table(measurement)) is not None:
        parts += [Text(), _table(probes)]
    parts += _goals(measurement)
    parts += _errors(measurement)
    for warning in warnings(measurement):
        parts += [Text(), Text.assemble(("warning: ", "bold yellow"), warning)]
    if explained := where_explained(measurement.findings):
        parts.append(Text(explained, style="dim"))
    parts += [Text(f"note: {note}") for note in measurement.notes]
    console.print(Group(*parts), highlight=False)


def _table(figures: FigureTable) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, header_style="dim")
    for title in figures.titles:
        if title in (figures.titles[0], "objectives"):
            table.add_column(title, overflow="fold")
        else:
            table.add_column(title, justify="right", min_width=7, no_wrap=True)
    for row in figures.rows:
        table.add_row(*map(Text, row))
    return table


def _histogram(measurement: Measurement, console: Console) -> list[RenderableType]:
    if measurement.summary.response_time.count < FEWEST_FOR_A_HISTOGRAM:
        return []
    lines = histogram_lines(measurement.response_times, console.width, unicode=_prints_unicode(console))
    return [Text(), Text("response times", style="bold"), *(Text(line, no_wrap=True) for line in lines)]


def _goals(measurement: Measurement) -> list[RenderableType]:
    """A line for each expected figure: whether it was reached, and what was found."""
    if not measurement.verdicts:
        return []
    table = Table.grid(padding=(0, 2))
    for expected, ruling in measurement.verdicts:
        words = f"found {expected.value_in_words(ruling.value)}" + (f" ({ruling.reason})" if ruling.reason else "")
        verdict = Text(ruling.verdict, style=STYLES[ruling.verdict])
        table.add_row(Text(expected.text), verdict, Text(words, overflow="fold"))
    return [Text(), table]


def _errors(measurement: Measurement) -> list[RenderableType]:
    if not measurement.failed:
        return [Text(), Text("errors: none")]
    parts: list[RenderableType] = [Text(), Text(f"errors: {sum(measurement.failed.values()):,}", style="bold red")]
    return [*parts, *(Padding(line, (0, 0, 0, 2)) for line in error_lines(measurement))]


def error_lines(measurement: Measurement) -> Iterator[Text]:
    """Each kind of error with its number and a remedy, the most frequent first, and below them some examples."""
    for kind, times in sorted(measurement.failed.items(), key=lambda item: -item[1]):
        what_to_do = remedy(kind, measurement.summary, measurement.plan.host)
        yield Text.assemble((f"{times:,} {kind}", "red"), f"  {what_to_do}".rstrip())
    examples = [f"{each.what}: {printable(each.excerpt, 100)}" for each in measurement.summary.examples]
    for example in list(dict.fromkeys(examples))[:EXAMPLES_SHOWN]:
        yield Text(example.rstrip(": "), style="dim")


def _prints_unicode(console: Console) -> bool:
    return (console.encoding or "").lower().startswith("utf")
