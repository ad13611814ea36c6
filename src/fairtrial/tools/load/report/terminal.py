"""The outcome of a load in the terminal."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import count, figure, plain
from fairtrial.base.printable import printable
from fairtrial.judge.metrics import supported_percentile
from fairtrial.report.terminal import STYLES
from fairtrial.tools.load.advice import remedy, warnings
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.bars import histogram_lines
from fairtrial.tools.load.report.figures import (
    PROBE_TITLES,
    capacities,
    columns,
    generator_in_words,
    goodput_in_words,
    notes_on_times,
    probe_rows,
    rows,
    time_cell,
    tls_in_words,
    unevenness_in_words,
)

EXAMPLES_SHOWN = 3
FEWEST_FOR_A_HISTOGRAM = 20


def print_measurement(console: Console, measurement: Measurement) -> None:
    """Print the load and the goodput, then times, errors by kind with a remedy, warnings, and notes.

    Text from the server is printed as it is: neither markup nor control characters in it have an effect.
    """
    parts: list[RenderableType] = [
        Text(printable(measurement.url), style="bold", overflow="fold"),
        Text(f"load: {measurement.load.describe()}"),
        Text(),
        _facts(measurement),
    ]
    if measurement.summary.response_time.count:
        parts += [Text(), *_times(measurement, console)]
    parts += _requests(measurement)
    parts += _search(measurement)
    parts += _goals(measurement)
    parts += _errors(measurement)
    for warning in warnings(measurement):
        parts += [Text(), Text.assemble(("warning: ", "bold yellow"), warning)]
    parts += [Text(f"note: {note}") for note in measurement.notes]
    console.print(Group(*parts), highlight=False)


def _facts(measurement: Measurement) -> Table:
    summary = measurement.summary
    facts = Table.grid(padding=(0, 2))
    facts.add_row(
        "goodput", Text(goodput_in_words(measurement), style="bold green" if summary.verified else "bold red")
    )
    answers = f"{summary.verified:,} verified of {summary.answers:,} answers to {summary.requests:,} requests"
    facts.add_row("answers", f"{answers} in {summary.window_seconds:.2f} s")
    if measurement.is_open and summary.offered is not None:
        share = summary.answered_share
        answered_share = "" if share is None else f", {share:.2%} of them answered"
        facts.add_row("offered", f"{summary.offered:,} requests{answered_share}")
    if summary.waiting is not None and (summary.waiting.peak or summary.waiting.at_end):
        waiting = summary.waiting
        facts.add_row(
            "waiting",
            f"up to {waiting.peak:,} for a free connection (limit {waiting.limit:,}), {waiting.at_end:,} at end",
        )
    if summary.in_flight_at_end:
        oldest = summary.oldest_in_flight_seconds
        age = "" if oldest is None else f", the oldest for {figure(oldest * 1e3)} ms"
        facts.add_row("in flight", f"{summary.in_flight_at_end:,} at the end{age}")
    if summary.cohort is not None and summary.cohort.censored:
        cohort = summary.cohort
        facts.add_row(
            "unanswered", f"{cohort.censored:,} of the window's requests, {cohort.drain_seconds:.2f} s after its end"
        )
    if uneven := unevenness_in_words(measurement):
        facts.add_row("connections", uneven)
    facts.add_row("transfer", _transfer(measurement))
    if summary.tls is not None:
        facts.add_row("TLS", tls_in_words(summary))
    facts.add_row("load generator", generator_in_words(measurement))
    return facts


def _transfer(measurement: Measurement) -> str:
    summary = measurement.summary
    per_second = summary.received_bytes / summary.window_seconds if summary.window_seconds > 0 else 0.0
    body = ""
    if summary.body_bytes is not None:
        low, high = summary.body_bytes.min, summary.body_bytes.max
        body = f", bodies of {low:,} bytes" if low == high else f", bodies of {low:,} to {high:,} bytes"
    opened = f", {count(summary.connects, 'connection')} opened" if summary.connects else ""
    return f"{_bytes_in_words(summary.received_bytes)} received, {_bytes_in_words(per_second)}/s{body}{opened}"


def _bytes_in_words(number: float) -> str:
    """An amount of traffic in decimal units: `812 B`, `4.5 MB`."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{plain(number)} {unit}"
        number /= 1000
    return f"{plain(number)} TB"


def _times(measurement: Measurement, console: Console) -> list[RenderableType]:
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, header_style="dim")
    table.add_column("ms", no_wrap=True)
    for name in [*(f"p{name}" for name in columns(measurement)), "max"]:
        table.add_column(name, justify="right", min_width=7, no_wrap=True)
    for row in rows(measurement):
        table.add_row(row.name, *row.cells)
    parts: list[RenderableType] = [table, *(Text(note, style="dim") for note in notes_on_times(measurement))]
    if measurement.summary.response_time.count >= FEWEST_FOR_A_HISTOGRAM:
        parts += [Text(), Text("response times", style="bold")]
        lines = histogram_lines(measurement.response_times, console.width, unicode=_prints_unicode(console))
        parts += [Text(line, no_wrap=True) for line in lines]
    return parts


def _requests(measurement: Measurement) -> list[RenderableType]:
    """A line for each kind of request; nothing if there is only one."""
    summary = measurement.summary
    if len(summary.mix) < 2 or summary.window_seconds <= 0:
        return []
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, header_style="dim")
    table.add_column("request", overflow="fold")
    for name in ("verified/s", "errors", "p50 ms", "p99 ms"):
        table.add_column(name, justify="right", min_width=7, no_wrap=True)
    for share in summary.mix:
        times = share.response_time
        percentiles = [None if times is None else supported_percentile(times, name) for name in ("50", "99")]
        table.add_row(
            Text(printable(share.name)),
            f"{share.verified / summary.window_seconds:,.1f}",
            f"{share.answers - share.verified + (share.failures or 0):,}",
            *(time_cell(seconds, times) for seconds in percentiles),
        )
    return [Text(), table]


def _search(measurement: Measurement) -> list[RenderableType]:
    """What a search for the capacity found, and its runs; nothing for any other load."""
    lines = capacities(measurement)
    if not lines:
        return []
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, header_style="dim")
    for title in PROBE_TITLES:
        in_words = title in (PROBE_TITLES[0], PROBE_TITLES[-1])
        table.add_column(title, justify="left" if in_words else "right", overflow="fold")
    for row in probe_rows(measurement):
        table.add_row(*row)
    return [Text(), *(Text.assemble(("capacity: ", "bold"), words) for words in lines), table]


def _goals(measurement: Measurement) -> list[RenderableType]:
    """A line for each expected figure: whether it was reached, and what was found."""
    if not measurement.verdicts:
        return []
    table = Table.grid(padding=(0, 2))
    for each in measurement.verdicts:
        words = f"found {each.value_in_words}" + (f" ({each.reason})" if each.reason else "")
        verdict = Text(each.verdict, style=STYLES[each.verdict])
        table.add_row(Text(each.expected.text), verdict, Text(words, overflow="fold"))
    return [Text(), table]


def _errors(measurement: Measurement) -> list[RenderableType]:
    if not measurement.failed:
        return [Text(), Text("errors: none")]
    parts: list[RenderableType] = [Text(), Text(f"errors: {sum(measurement.failed.values()):,}", style="bold red")]
    return [*parts, *(Padding(line, (0, 0, 0, 2)) for line in error_lines(measurement))]


def error_lines(measurement: Measurement) -> Iterator[Text]:
    """Each kind of error with its number and a remedy, the most frequent first, and below them some examples."""
    for kind, times in sorted(measurement.failed.items(), key=lambda item: -item[1]):
        what_to_do = remedy(kind, measurement.summary)
        yield Text.assemble((f"{times:,} {kind}", "red"), f"  {what_to_do}".rstrip())
    examples = [f"{each.what}: {printable(each.excerpt, 100)}" for each in measurement.summary.examples]
    for example in list(dict.fromkeys(examples))[:EXAMPLES_SHOWN]:
        yield Text(example.rstrip(": "), style="dim")


def _prints_unicode(console: Console) -> bool:
    return (console.encoding or "").lower().startswith("utf")
