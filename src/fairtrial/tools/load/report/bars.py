"""A histogram of times in text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import plain
from fairtrial.record.histogram import Histogram

BAR_CELLS = 40
BESIDE_THE_BAR = 45
"""Cells that edges, count and share take."""
MOST_BARS = 16
STEPS = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,))
"""Edges within a decade, the finest first."""
EIGHTHS = "▏▎▍▌▋▊▉█"


@dataclass(frozen=True)
class Bar:
    """So many times from `low_seconds` to `high_seconds`."""

    low_seconds: float
    high_seconds: float
    count: int


def bars(times: Histogram) -> list[Bar]:
    """Round edges that grow geometrically, as fine as `MOST_BARS` allows; nothing for an empty histogram."""
    if not times.count:
        return []
    low, high = times.buckets[0].middle_seconds, times.buckets[-1].middle_seconds
    edges: list[float] = []
    for steps in STEPS:
        edges = _edges(low, high, steps)
        if len(edges) - 1 <= MOST_BARS:
            break
    counts = [times.count_up_to(edge) for edge in edges]
    return [
        Bar(edge, after, upper - lower)
        for edge, after, lower, upper in zip(edges, edges[1:], counts, counts[1:], strict=False)
    ]


def drawn(times: Histogram, width: int, *, unicode: bool = True) -> list[str]:
    """A line for each bar, not longer than `width`: `   0.20 –    0.30 ms  ██████▌  12,345  61.7%`."""
    found = bars(times)
    highest = max((bar.count for bar in found), default=0)
    cells = max(min(BAR_CELLS, width - BESIDE_THE_BAR), 1)
    dash = "–" if unicode else "-"
    return [
        f"{plain(bar.low_seconds * 1e3):>7} {dash} {plain(bar.high_seconds * 1e3):>7} ms  "
        f"{_bar(bar.count / highest, cells, unicode=unicode):<{cells}} {bar.count:>11,} {bar.count / times.count:7.2%}"
        for bar in found
    ]


def _edges(low: float, high: float, steps: Sequence[float]) -> list[float]:
    """From the last edge below `low` to the first at or above `high`."""
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    grid = [step * 10.0**decade for decade in decades for step in steps]
    first = max(place for place, edge in enumerate(grid) if edge < low)
    last = min(place for place, edge in enumerate(grid) if edge >= high)
    return grid[first : last + 1]


def _bar(share: float, cells: int, *, unicode: bool) -> str:
    """At least a sliver for what is not zero."""
    if share <= 0:
        return ""
    if not unicode:
        return "#" * max(round(share * cells), 1)
    eighths = max(round(share * cells * 8), 1)
    return "█" * (eighths // 8) + (EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")
