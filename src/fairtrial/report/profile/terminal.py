"""The block under profilers as text in the terminal."""

from collections.abc import Callable, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.record.profile import Profile, Profiles
from fairtrial.report.profile.counters import EXPLANATION, CounterRow, counter_rows
from fairtrial.report.profile.differences import Pair, profile_pairs
from fairtrial.report.profile.request_time import TIMES

SIDE_BY_SIDE = 4
"""Contenders in one table: more do not fit on 80 columns."""
FRAMES_SHOWN = 6
ROWS_IN_SHORT = 5
"""Each table is cut to so many rows: the first ones say most."""


def profile_parts(profiles: Profiles, *, verbose: bool = True) -> list[RenderableType]:
    """The lines that are printed of it; none without such a block. Control characters in texts have no effect.

    Args:
        verbose: all rows of the tables, and how they were measured.
    """
    lines = profiles.lines
    if not lines:
        return []
    parts: list[RenderableType] = [Text(), Text("Why is it slow? Uncounted", style="bold underline")]
    for title, rows_of, explanation in (("per request", counter_rows, EXPLANATION), *TIMES):
        if rows_of(lines):
            for first in range(0, len(lines), SIDE_BY_SIDE):
                parts += _table(title, lines[first : first + SIDE_BY_SIDE], rows_of, None if verbose else ROWS_IN_SHORT)
            if verbose:
                parts.append(Text(f"\n{explanation}", style="dim"))
    for line in lines:
        parts += _of_contender(line)
    for pair in profile_pairs(profiles):
        parts += _difference(pair)
    return parts


def _table(
    title: str,
    lines: Sequence[Profile],
    rows_of: Callable[[Sequence[Profile]], Sequence[CounterRow]],
    most: int | None,
) -> list[RenderableType]:
    rows = rows_of(lines)
    if not rows:
        return []
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column(title)
    for place, line in enumerate(lines):
        widest = max(len(row.values[place]) for row in rows)  # names and titles are folded, and no figures
        table.add_column(Text(printable(line.contender)), justify="right", overflow="fold", min_width=widest)
    for row in rows[:most]:
        # Intervals are in the report: in narrow columns each would take three lines.
        table.add_row(Text(f"{row.title}, {row.unit}" if row.unit else row.title), *row.values)
    left_out = len(rows) - len(rows[:most])
    more = [Text(f"{count(left_out, 'more row')}: --verbose", style="dim")] if left_out else []
    return [Text(), table, *more]


def _of_contender(line: Profile) -> list[RenderableType]:
    parts: list[RenderableType] = []
    name = (printable(line.contender), "bold")
    if line.failure is not None:
        parts.append(Text.assemble(name, f"  not profiled: {printable(line.failure.reason)}"))
        parts += _remedy(line.failure.remedy)
    for sampled in line.stacks:
        summary = f"{count(sampled.samples, 'sample')} of {sampled.profiler} in {sampled.file}"
        parts.append(Text.assemble(name, f"  {printable(summary)}"))
    for note in line.notes:
        parts.append(Text.assemble(name, f"  {printable(note.reason)}"))
        parts += _remedy(note.remedy)
    return parts


def _difference(pair: Pair) -> list[RenderableType]:
    """The frames whose share differs most; nothing where none does."""
    if not pair.frames:
        return []
    first, second = printable(pair.first.contender), printable(pair.second.contender)
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("share of the samples that end in", overflow="fold")
    for name in (first, second):
        table.add_column(Text(name), justify="right", overflow="fold")
    for frame in pair.frames[:FRAMES_SHOWN]:
        table.add_row(Text(printable(frame.frame)), *(f"{share:.1%}" for share in frame.self_share))
    return [Text(), table]


def _remedy(remedy: str) -> list[RenderableType]:
    if not remedy:
        return []
    return [Padding(Text.assemble("→ ", printable(remedy), style="dim"), (0, 0, 0, 2))]
