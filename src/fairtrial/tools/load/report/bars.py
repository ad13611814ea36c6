"""A histogram of response times as lines of text."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import plain
from fairtrial.base.text_charts import bar
from fairtrial.record.histogram import Histogram

BAR_CELLS = 40
BESIDE_THE_BAR = 45
"""Cells for the edges, the count and the share."""
MAX_BARS = 16
STEPS = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,))
"""Edges within a decade, the finest first."""


@dataclass(frozen=True)
class Bin:
    """How many times lie above `low_seconds` and up to `high_seconds`."""

    low_seconds: float
    high_seconds: float
    count: int


def bins(times: Histogram) -> list[Bin]:
    """Bins with round edges that grow geometrically, as fine as `MAX_BARS` allows; none for an empty histogram."""
    if not times.count:
        return []
    low, high = times.buckets[0].middle_seconds, times.buckets[-1].middle_seconds
    edges: list[float] = []
    for steps in STEPS:
        edges = _edges(low, high, steps)
        if len(edges) - 1 <= MAX_BARS:
            break
    return counted(times, edges)


def counted(times: Histogram, edges: Sequence[float]) -> list[Bin]:
    """The bins between these edges, in seconds."""
    counts = [times.count_up_to(edge) for edge in edges]
    return [
        Bin(edge, after, upper - lower)
        for edge, after, lower, upper in zip(edges, edges[1:], counts, counts[1:], strict=False)
    ]


def histogram_lines(times: Histogram, width: int, *, unicode: bool = True) -> list[str]:
    """A line for each bin, not longer than `width`: `   0.20 –    0.30 ms  ██████▌  12,345  61.7%`."""
    filled = bins(times)
    highest = max((each.count for each in filled), default=0)
    cells = max(min(BAR_CELLS, width - BESIDE_THE_BAR), 1)
    dash = "–" if unicode else "-"
    return [
        f"{plain(each.low_seconds * 1e3):>7} {dash} {plain(each.high_seconds * 1e3):>7} ms  "
        f"{bar(each.count / highest, cells, unicode=unicode):<{cells}} "
        f"{each.count:>11,} {each.count / times.count:7.2%}"
        for each in filled
    ]


def _edges(low: float, high: float, steps: Sequence[float]) -> list[float]:
    """From the last edge below `low` to the first at or above `high`."""
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    grid = [step * 10.0**decade for decade in decades for step in steps]
    first = max(place for place, edge in enumerate(grid) if edge < low)
    last = min(place for place, edge in enumerate(grid) if edge >= high)
    return grid[first : last + 1]
