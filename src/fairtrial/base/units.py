"""Quantities as people write them, `50 ms`, `100 MiB`, `2,000/s` or `5%`, and the base units in which code holds them.

Inside the program a quantity is a plain number in its base unit: seconds, bytes, per second, or a share (1 is all).
Units appear only where a person writes or reads.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_serializer, model_validator

from fairtrial.base.strict import Strict

BaseUnit = Literal["seconds", "bytes", "per_second", "share"]


class Unit(Strict):
    """A unit as it is written behind a number."""

    symbol: str
    base: BaseUnit
    size: float = Field(description="what one of it is in the base unit")

    def behind(self, number: str) -> str:
        """The number with the unit behind it: `50 ms`, `2,000/s`, `5%`."""
        space = "" if self.base in ("per_second", "share") else " "
        return f"{number}{space}{self.symbol}"


_SIZES: Mapping[BaseUnit, Mapping[str, float]] = {
    "seconds": {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0},
    "bytes": {"bytes": 1, "kB": 1e3, "KiB": 2**10, "MB": 1e6, "MiB": 2**20, "GB": 1e9, "GiB": 2**30},
    "per_second": {"/s": 1.0, "/min": 1 / 60, "/h": 1 / 3600},
    "share": {"%": 0.01},
}
UNITS: Mapping[str, Unit] = {
    symbol: Unit(symbol=symbol, base=base, size=size)
    for base, sizes in _SIZES.items()
    for symbol, size in sizes.items()
}
"""Every unit by its symbol, the smallest of each base unit first."""

_SPELLINGS = {"us": "µs", "\u03bcs": "µs", "m": "min", "/m": "/min", "B": "bytes", "byte": "bytes"}
"""Other ways to write a symbol; the second is the Greek letter in place of the micro sign."""

_THOUSANDS = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6}
"""Prefixes between the number and the unit of a rate: `2k/s`."""

_KINDS: Mapping[BaseUnit, str] = {
    "seconds": "a time",
    "bytes": "an amount of memory",
    "per_second": "a rate",
    "share": "a share",
}

_NUMBER = re.compile(r"([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(.*)")


class Quantity(Strict):
    """A number with its unit. Files and records hold it as text, so that it is read back as it was written."""

    number: float = Field(allow_inf_nan=False)
    unit: Unit

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return dict(parse_quantity(value)) if isinstance(value, str) else value

    @model_serializer
    def _to_text(self) -> str:
        return str(self)

    @property
    def value(self) -> float:
        """In the base unit."""
        return self.number * self.unit.size

    def __str__(self) -> str:
        return self.unit.behind(f"{self.number!r}".removesuffix(".0"))


def parse_quantity(text: str, default: str | None = None) -> Quantity:
    """The quantity that is written so: a number, with commas between thousands if there are any, and a unit.

    Args:
        default: the symbol of the unit that a bare number has; without one, a bare number is an error.

    Raises:
        ValueError: it is not a number with a unit; the message lists the units.
    """
    match = _NUMBER.fullmatch(text.strip())
    number, symbol = (match[1], match[2]) if match is not None else ("", "")
    thousands, symbol = _split_thousands(symbol, default)
    unit = UNITS.get(_SPELLINGS.get(symbol, symbol))
    if match is None or unit is None:
        raise ValueError(f"{text!r} is not a number with a unit; the units are {', '.join(UNITS)}")
    return Quantity(number=float(number.replace(",", "")) * thousands, unit=unit)


def parse_duration(text: str, default: str | None = None) -> float:
    """Seconds from `10s`, `500 ms`, `2 min` or `1h`; `default` as for `parse_quantity`.

    Raises:
        ValueError: it is not a time with its unit.
    """
    return _parse(text, "seconds", default)


def parse_rate(text: str, default: str | None = None) -> float:
    """A rate per second from `2,000/s`, `2k/s` or `90/min`; `default` as for `parse_quantity`.

    Raises:
        ValueError: it is not a rate with its unit.
    """
    return _parse(text, "per_second", default)


def quantity_of(base: BaseUnit) -> str:
    """The quantity that a base unit measures, for messages: `a time`."""
    return _KINDS[base]


def symbols_of(base: BaseUnit) -> str:
    """The units of a base unit, for messages: `µs, ms, s, min or h`."""
    *others, last = _SIZES[base]
    return f"{', '.join(others)} or {last}" if others else last


def readable_unit(base: BaseUnit, value: float) -> Unit:
    """The unit in which a value (in its base unit) reads well: `ms` for 0.05 seconds, `MiB` for 100,000,000 bytes."""
    if base == "bytes":
        fitting = [symbol for symbol in ("KiB", "MiB", "GiB") if abs(value) >= UNITS[symbol].size]
        return UNITS[fitting[-1] if fitting else "bytes"]
    if base == "seconds" and value != 0:
        return UNITS["µs" if abs(value) < 1e-3 else "ms" if abs(value) < 1 else "s"]
    return UNITS[{"seconds": "s", "per_second": "/s", "share": "%"}[base]]


def _parse(text: str, base: BaseUnit, default: str | None) -> float:
    quantity = parse_quantity(text, default)
    if quantity.unit.base != base:
        raise ValueError(f"{text!r} is not {quantity_of(base)}: its units are {symbols_of(base)}")
    return quantity.value


def _split_thousands(symbol: str, default: str | None) -> tuple[float, str]:
    """The factor of a leading `k` or `M` of a rate, and the unit's symbol; a missing unit is the default."""
    prefix = symbol[:1] if symbol[:1] in ("k", "K", "M") else ""
    rest = symbol.removeprefix(prefix).strip() or (default or "")
    return (_THOUSANDS[prefix], rest) if rest.startswith("/") else (1.0, symbol or default or "")
