"""Figures, intervals, bounds and counts as text.

Where a function takes a `unit`, values come in its base unit and are written in it; without one they are plain numbers.
"""

from collections.abc import Callable, Iterable

from fairtrial.base.units import UNITS, BaseUnit, Unit


def figure(value: float) -> str:
    """A measured figure with three significant digits, with trailing zeros, so that columns align: `0.450`, `14.0`.

    Whole numbers above 100 keep all their digits; below 0.01 there are two digits, with an exponent from 0.0001 down.
    """
    size = abs(value)
    if size >= 99.95:
        return f"{value:,.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    if size >= 0.9995 or size == 0:
        return f"{value:.2f}"
    return f"{value:.3f}" if size >= 0.01 else f"{value:.2g}"


def span(interval: tuple[float, float], *, open_above: bool = False) -> str:
    """An interval in the form of `figure`: `21,153 to 22,705`; `21,153 to > 22,705` if it may reach further up."""
    return span_in(interval, None, open_above=open_above)


def level_in_words(*levels: float) -> str:
    """Levels of confidence: `95%`; of several the lowest and the highest, `90% to 99.5%`; of none nothing."""
    ordered = sorted(levels)
    ends = (f"{100 * each:.{4 if each < 0.99995 else 6}g}%" for each in ordered[:1] + ordered[-1:])
    return " to ".join(dict.fromkeys(ends))


def bounded_below(text: str, is_lower_bound: bool) -> str:
    """A figure as text; `> 190` if it is only known that the true one is no smaller."""
    return f"> {text}" if is_lower_bound else text


def plain(value: float) -> str:
    """A bound as a person would write it: three significant digits, no exponent, no trailing zeros. `0.0312`, `1.5`,
    `12`, `1,234`."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    digits = 2
    size = abs(value)
    while size < 1 and digits < 12:
        digits += 1
        size *= 10
    if abs(value) >= 10:
        digits = 1
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


TABLE_UNITS: dict[BaseUnit, Unit] = {
    "seconds": UNITS["ms"],
    "bytes": UNITS["MiB"],
    "per_second": UNITS["/s"],
    "share": UNITS["%"],
}
"""The unit that tables use for every figure of a kind, whatever its size, so that rows can be compared at a glance."""


def with_unit(value: float, base: BaseUnit) -> str:
    """A figure in the unit that tables use: `12.3 ms`, `64.0 MiB`, `4,000/s`, `0.450%`."""
    return figure_in(value, TABLE_UNITS[base])


def figure_in(value: float, unit: Unit | None) -> str:
    """`figure`, in a unit: `6.69 ms`."""
    return _written_in(value, unit, figure)


def span_in(interval: tuple[float, float], unit: Unit | None, *, open_above: bool = False) -> str:
    """`span`, in a unit: `5.98 ms to 7.59 ms`."""
    low, high = (figure_in(end, unit) for end in interval)
    return f"{low} to {bounded_below(high, open_above)}"


def plain_in(value: float, unit: Unit | None) -> str:
    """`plain`, in a unit: `50 ms`."""
    return _written_in(value, unit, plain)


def capitalised(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def on_service(workload: str, service: str) -> str:
    """A workload with its service: `page on postgresql`; by itself where there is none."""
    return workload if service == "none" else f"{workload} on {service}"


def enumeration(words: Iterable[str], most: int = 6) -> str:
    """`a, b, c`; of more than `most`, so many and the number of the others: `a, b and 3 more`."""
    items = list(words)
    more = len(items) - most
    return f"{', '.join(items[:most])} and {more} more" if more > 1 else ", ".join(items)


def bound_in_words(at_least: float | None, at_most: float | None, unit: Unit | None = None) -> str:
    """`at least 2`, `at most 50 ms` or `between 2 and 3`."""
    if at_least is not None and at_most is not None:
        return f"between {plain_in(at_least, unit)} and {plain_in(at_most, unit)}"
    if at_least is not None:
        return f"at least {plain_in(at_least, unit)}"
    return f"at most {plain_in(at_most, unit)}" if at_most is not None else "any"


def violation_in_words(at_least: float | None, at_most: float | None, unit: Unit | None = None) -> str:
    """Where an interval lies that overturns the bound: `below 2`, `above 50 ms` or `below 2 or above 3`."""
    parts = []
    if at_least is not None:
        parts.append(f"below {plain_in(at_least, unit)}")
    if at_most is not None:
        parts.append(f"above {plain_in(at_most, unit)}")
    return " or ".join(parts)


def count(number: int, noun: str) -> str:
    """`1 block`, `5 blocks`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def minutes(seconds: float) -> str:
    """`1:05` for 65 seconds."""
    whole = round(seconds)
    return f"{whole // 60}:{whole % 60:02d}"


def duration(seconds: float) -> str:
    """A planned time as people say it, rounded: `40 seconds`, `2 minutes`, `3 hours`."""
    if seconds < 55:
        return count(max(10 * round(seconds / 10), 10), "second")
    if seconds < 100 * 60:
        return count(max(round(seconds / 60), 1), "minute")
    return count(round(seconds / 3600), "hour")


def _written_in(value: float, unit: Unit | None, write: Callable[[float], str]) -> str:
    return write(value) if unit is None else unit.behind(write(value / unit.size))
