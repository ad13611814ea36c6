"""The answer to `[why]` in the terminal: the steps from the start to the end, as a table with a waterfall."""

import math
from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from fairtrial.base.printable import printable
from fairtrial.judge.statistics.causes import Causes
from fairtrial.report.causes import answer_sentence, beside_notes, design_notes, share_in_words, steps, times_in_words

CELLS = 16


def causes_parts(causes: Causes | None, *, with_sentence: bool = True) -> Iterator[RenderableType]:
    """The lines to print; none without an answer.

    Args:
        with_sentence: whether the answer's sentence stands above the table.
    """
    if causes is None:
        return
    if with_sentence:
        yield Text()
        yield Text(printable(answer_sentence(causes)), style="bold")
    if causes.ratio is None:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("part", overflow="fold", min_width=10)
    table.add_column("times", no_wrap=True)
    table.add_column("share", no_wrap=True)
    table.add_column("", no_wrap=True)
    places = [math.log(place) for step in steps(causes) for place in (step.begin, step.end)]
    lowest, highest = min(places), max(places)
    for step in steps(causes):
        table.add_row(
            printable(step.name),
            times_in_words(step.cause.ratio, step.cause.interval),
            share_in_words(step.cause),
            _waterfall(math.log(step.begin), math.log(step.end), lowest, highest),
        )
    whole = times_in_words(causes.ratio, causes.interval)
    table.add_row("all", whole, "", _waterfall(0, math.log(causes.ratio), lowest, highest), style="bold")
    yield table
    yield from (Text(printable(note), style="dim") for note in (*beside_notes(causes), *design_notes(causes)))


def _waterfall(begin: float, end: float, lowest: float, highest: float) -> str:
    """A bar from one place to the other, of a line that is CELLS long."""
    if highest <= lowest:
        return ""
    first, last = sorted(round((place - lowest) / (highest - lowest) * CELLS) for place in (begin, end))
    return " " * first + ("█" * (last - first) if last > first else "│")
