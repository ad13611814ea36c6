"""Figures of a cross-examination as text."""

from collections.abc import Sequence

from fairtrial.base.formatting import figure, figure_in
from fairtrial.base.printable import printable
from fairtrial.base.units import UNITS, readable_unit

NAMED_RUNS = 12
LONGEST_NAME = 80


def time(seconds: float) -> str:
    """`5.05 s`, `231 ms`, `283 µs`."""
    return figure_in(seconds, readable_unit("seconds", seconds))


def rate(per_second: float) -> str:
    """`401.71/s` with up to two decimals, as tools print rates."""
    digits = 0 if per_second >= 10_000 else 2
    return UNITS["/s"].behind(f"{per_second:,.{digits}f}")


def grouped(number: float) -> str:
    """A count: `1,117,285`."""
    return f"{number:,.0f}"


def share(value: float) -> str:
    """`6.2%`; below one percent with three digits."""
    return f"{figure(100 * value)}%" if value < 0.01 else f"{100 * value:.1f}%"


def printed_name(text: str) -> str:
    """A name from a file, short and without control characters."""
    return printable(text, LONGEST_NAME)


def names(runs: Sequence[str]) -> str:
    """`a, b and c`; of many, the first ones and how many more."""
    all_names = [printed_name(run) for run in runs]
    if len(all_names) > NAMED_RUNS:
        return f"{', '.join(all_names[:NAMED_RUNS])} and {len(all_names) - NAMED_RUNS} more"
    return all_names[0] if len(all_names) == 1 else f"{', '.join(all_names[:-1])} and {all_names[-1]}"
