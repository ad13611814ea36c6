"""Charts made of characters, for terminals: progress, bars and the course of a rate."""

from collections.abc import Sequence

from rich.text import Text

EIGHTHS = "▏▎▍▌▋▊▉█"
SPARKS = " ▁▂▃▄▅▆▇█"


def progress_bar(share: float, cells: int) -> Text:
    """A line of so many cells, of which `share` (0 to 1) is filled."""
    filled = round(share * cells)
    return Text("━" * filled, style="green") + Text("━" * (cells - filled), style="dim")


def bar(share: float, cells: int, *, unicode: bool = True) -> str:
    """A bar that is at most so many cells long; whatever is above zero has at least a sliver."""
    if share <= 0:
        return ""
    if not unicode:
        return "#" * max(round(share * cells), 1)
    eighths = max(round(share * cells * 8), 1)
    return "█" * (eighths // 8) + (EIGHTHS[eighths % 8 - 1] if eighths % 8 else "")


def sparkline(values: Sequence[float]) -> str:
    """One character for each value, from an empty cell for 0 to a full one for the highest."""
    highest = max(values, default=0.0)
    if highest <= 0:
        return ""
    return "".join(SPARKS[max(round(value / highest * 8), 1) if value > 0 else 0] for value in values)
