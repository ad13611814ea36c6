"""Printed numbers as figures: `635.91us`, `2.62k`, `144.91MB`, `1m30.5s`, each with the rounding of its last digit."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from fairtrial.base.units import BaseUnit, parse_quantity, quantity_of, symbols_of
from fairtrial_cross_examine.model import Figure

NUMBER = r"\d[\d,]{0,24}(?:\.\d{1,18})?"
"""A number in text, as a part of a pattern."""
DURATION = rf"(?:{NUMBER}\s?(?:ns|us|µs|\u03bcs|ms|s|m|h))+"
"""A time with its unit or units: `22.63ms`, `1m30s`."""

MILLISECOND = 1e-3
SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "\u03bcs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
DURATION_PART = re.compile(rf"({NUMBER})\s?(ns|us|µs|\u03bcs|ms|s|m|h)")
LARGEST = 10**30
"""No figure of a tool is larger; products of such have room in a floating-point number."""
THOUSANDS = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
SIZED = re.compile(rf"({NUMBER})\s?([kKMGT]?i?B|bytes?)")


def as_figure(text: str, size: float = 1.0) -> Figure:
    """The number that is written so, in units of `size`: `0.450` lies within 0.0005 of 0.45.

    Raises:
        ValueError: it is not a number, or too large for one.
    """
    try:
        number = Decimal(text.replace(",", ""))
    except InvalidOperation as error:
        raise ValueError(f"{text!r:.80} is not a number") from error
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):  # NaN, infinity
        raise ValueError(f"{text!r:.80} is not a number")
    if abs(number) > LARGEST:
        raise ValueError(f"{text!r:.80} is too large for a figure")
    return Figure(value=float(number) * size, within=0.5 * 10.0**exponent * size)


def as_count(text: str) -> int:
    """A whole number, such as `1,000`; commas separate thousands."""
    return int(text.replace(",", ""))


def exactly(number: float) -> Figure:
    """A count, which has no rounding."""
    return Figure(value=number)


def duration(text: str) -> Figure:
    """A time in seconds, as wrk (`22.63ms`, `10.00m`) or Go (`1m30.5s`) print it.

    Raises:
        ValueError: it is not a time with its unit.
    """
    parts = DURATION_PART.findall(text)
    if not parts:
        raise ValueError(f"{text!r} is not a time with its unit")
    figures = [as_figure(number, SECONDS[unit]) for number, unit in parts]
    return Figure(value=sum(part.value for part in figures), within=figures[-1].within)


def milliseconds(text: str) -> Figure:
    """A number of milliseconds as seconds; of whole ones the fraction may have been rounded or cut off."""
    time = as_figure(text, MILLISECOND)
    return time if "." in text else Figure(value=time.value, within=MILLISECOND)


def cut_off(time: Figure | None) -> Figure | None:
    """A time of which the fraction of a millisecond was cut off."""
    return None if time is None else Figure(value=time.value, within=max(time.within, MILLISECOND))


def prefixed_figure(text: str) -> Figure:
    """A number with a decimal prefix, such as `2.62k`."""
    prefix = text[-1] if text[-1] in "kKMG" else ""
    return as_figure(text.removesuffix(prefix), THOUSANDS[prefix])


def size(text: str, step: int = 1024) -> Figure:
    """An amount of data in bytes: `144.91MB`, `1.50 KiB`, `612 bytes`.

    Args:
        step: what a `k` stands for where the unit does not say it: 1024 for wrk and h2load, 1000 for autocannon.

    Raises:
        ValueError: it is not an amount of data.
    """
    match = SIZED.search(text)
    if match is None:
        raise ValueError(f"{text!r} is not an amount of data")
    prefix = match[2][0].upper() if match[2][0] in "kKMGT" else ""
    unit = (1024 if "i" in match[2] else step) ** " KMGT".index(prefix or " ")
    return exactly(as_count(match[1])) if unit == 1 and "." not in match[1] else as_figure(match[1], unit)


def number(value: Any, unit: float = 1.0) -> Figure | None:
    """A number from JSON, in units of `unit`; None for anything else. A whole number is exact."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    figure = as_figure(repr(value), unit)
    return exactly(figure.value) if isinstance(value, int) else figure


def quantity(text: str, base: BaseUnit) -> Figure:
    """A number with its unit as people write it in a statement: `22.63 ms`, `401.71/s`, `5,113 bytes`.

    Raises:
        ValueError: it is not a quantity in a unit of this kind.
    """
    parsed = parse_quantity(text)
    if parsed.unit.base != base:
        raise ValueError(f"{text!r} is not {quantity_of(base)}: its units are {symbols_of(base)}")
    match = re.match(NUMBER, text.strip())
    if match is None:
        raise ValueError(f"{text!r}: a printed figure is not negative")
    digits = as_figure(match[0])
    factor = parsed.value / digits.value if digits.value else parsed.unit.size
    if base == "bytes" and "." not in match[0] and parsed.unit.size == 1:
        return exactly(parsed.value)
    return Figure(value=parsed.value, within=digits.within * factor)
