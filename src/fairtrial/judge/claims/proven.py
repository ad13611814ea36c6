"""The bound that today's interval proves, for an undecided claim that no number of blocks would be sure to decide."""

import math

from fairtrial.base.formatting import plain_in, span, span_in
from fairtrial.base.units import UNITS, Unit

DIGITS = 3
"""Significant ones of a bound that is offered."""
LARGEST_MARGIN = 10.0
"""A claim of equality allows none as large."""


def proven_bounds(
    interval: tuple[float, float] | None, bounds: tuple[float | None, float | None], unit: Unit | None
) -> str:
    """A sentence with the bounds of the same kind that the interval would uphold; empty where it has none to offer."""
    if interval is None:
        return ""
    offered = [
        f"`{key} = {_literal(_outward(end, unit, up=up), unit)}`"
        for key, bound, end, up in zip(("at_least", "at_most"), bounds, interval, (False, True), strict=True)
        if bound is not None and end != 0
    ]
    if not offered:
        return ""
    return f"Proven is {span_in(interval, unit)}: {' and '.join(offered)} would be upheld today."


def proven_margin(interval: tuple[float, float] | None, claim: str = "") -> str:
    """A sentence with the margin of equality that the interval of a ratio would uphold; empty where there is none.

    Args:
        claim: whose margin it is, if not the claim's own: `a claim of kind "equal" of a and b with`.
    """
    if interval is None or interval[0] <= 0:
        return ""
    margin = _outward(max(interval[1], 1 / interval[0]) - 1, None, up=True)
    if margin >= LARGEST_MARGIN:
        return ""
    return (
        f"Proven is {span(interval)}: {f'{claim} '.lstrip()}`within = {_literal(margin, None)}` would be upheld today."
    )


def proven_share(low: float) -> str:
    """A sentence with the share of starts whose budget the interval from `low` up would uphold; empty if there is
    none."""
    share = math.floor(low * 100) / 100
    if share <= 0:
        return ""
    return f"Proven are {plain_in(share, UNITS['%'])} of starts: `of_starts = {share:g}` would be upheld today."


def _outward(value: float, unit: Unit | None, *, up: bool) -> float:
    """In the unit, rounded to DIGITS digits such that the interval's end keeps it."""
    number = value / (1.0 if unit is None else unit.size)
    if number == 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(abs(number))) - DIGITS + 1)
    return (math.ceil if up else math.floor)(number / step) * step


def _literal(number: float, unit: Unit | None) -> str:
    """As an experiment's file has it: `0.93`, `"52.1 ms"`."""
    text = f"{number:.10g}"
    return text if unit is None else f'"{unit.behind(text)}"'
