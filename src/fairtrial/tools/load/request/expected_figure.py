"""Figures that a load is expected to reach, as `--expect` and `--capacity` write them: `p99<50ms`, `rate>=2,000/s`.

Modules that take long to load are imported when a value is read, as in `values`.
"""

import math
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of

RATE, ERRORS, MAX, MEAN = "rate", "errors", "max", "mean"
LONGEST_OBJECTIVE_SECONDS = 3600.0
"""As in the objectives of an experiment."""
ROUNDING = 1e-9
"""A share of a limit."""

_OF_REQUEST = re.compile(r"([A-Za-z0-9._-]+)\s*:\s*(.*)", re.DOTALL)
"""Names as a workload file may have them."""
_FIGURE_AND_BOUND = re.compile(r"([A-Za-z][A-Za-z0-9._-]*)\s*(<=|>=|<|>)\s*(\S.*)")
_EXAMPLES = "write a figure and its bound: 'p99<50ms', 'rate>=2,000/s' or 'errors<=0.1%'"
_FIGURES = (
    "there are p50, p90, p95, p99, p99.9 and other percentiles, max and mean (of the response time), rate (verified "
    "answers), and errors"
)


class ExpectedFigure(NamedTuple):
    """A figure with its bound."""

    text: str
    """as it was written, such as `p99<50ms` or `order: p99<50ms`"""
    figure: str
    """`p99.9`, `max`, `mean`, `rate` or `errors`"""
    limit: float
    """in seconds, per second, or a share"""
    inclusive: bool
    """the limit itself is allowed"""
    symbol: str
    """of the unit in which the limit was written"""
    request: str | None = None
    """the request of the mix that it is of; None: of all"""

    @property
    def percentile(self) -> str | None:
        """`99.9` of `p99.9`; None of other figures."""
        return self.figure[1:] if self.figure[1:2].isdigit() else None

    @property
    def metric(self) -> str:
        """The figure by its name in claims."""
        return {RATE: "goodput", ERRORS: ERRORS}.get(self.figure, f"response_time_{self.figure}")

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The least and the most that keeps the limit, in its unit. What differs by rounding alone is equal."""
        beyond = max(ROUNDING * self.limit, sys.float_info.min) * (1 if self.inclusive else -1)
        return (self.limit - beyond, None) if self.figure == RATE else (None, self.limit + beyond)

    def value_in_words(self, value: float | None) -> str:
        """`12.3 ms`; `no answer` for an infinite one, and a dash where there is none."""
        from fairtrial.base.formatting import figure_in  # noqa: PLC0415 see above
        from fairtrial.base.units import UNITS  # noqa: PLC0415 see above

        if value is None:
            return "–"
        return "no answer" if math.isinf(value) else figure_in(value, UNITS[self.symbol])


def parse_expected_figure(text: str) -> ExpectedFigure:
    """The figure and its bound of `p99<50ms`, `rate>=2,000/s`, `errors<=0.1%` or, of one request, `order: p99<50ms`.

    Raises:
        Problem: it is no figure and bound, the bound has no unit or a wrong one, or it allows what is worse.
    """
    from fairtrial.base.units import BaseUnit, Quantity, parse_quantity, quantity_of, symbols_of  # noqa: PLC0415 see above

    excerpt = printable(text.strip(), 60)
    request_match = _OF_REQUEST.fullmatch(text.strip())
    request, bounded = (None, text.strip()) if request_match is None else request_match.groups()
    match = _FIGURE_AND_BOUND.fullmatch(bounded)
    if match is None:
        raise Problem(f"'{excerpt}' is not a figure and its bound", _EXAMPLES)
    name, sign, bound = match.groups()
    figure = _figure(name)
    if figure is None:
        raise Problem(f"'{excerpt}': there is no figure '{printable(name, 40)}'", _FIGURES)
    bases: dict[str, BaseUnit] = {RATE: "per_second", ERRORS: "share"}
    base = bases.get(figure, "seconds")
    quantity: Quantity | None = None
    with suppress(ValueError):
        quantity = parse_quantity(bound)
    if quantity is None or quantity.unit.base != base or quantity.value < 0:
        raise Problem(
            f"'{excerpt}': '{printable(bound, 40)}' is not {quantity_of(base)} with its unit",
            f"the units of {figure} are {symbols_of(base)}: write {_example(figure)}",
        )
    if sign.startswith(">") != (figure == RATE):
        worse = "lower rates" if figure == RATE else "more errors" if figure == ERRORS else "longer times"
        raise Problem(f"'{excerpt}' asks for {worse}", f"write {_example(figure)}")
    normal_form = f"{'' if request is None else f'{request}: '}{figure}{sign}{printable(bound.strip(), 40)}"
    return ExpectedFigure(normal_form, figure, quantity.value, sign.endswith("="), quantity.unit.symbol, request)


def parse_objective(text: str) -> ExpectedFigure:
    """An objective of a search for the capacity, `p99<50ms`: a percentile that every record holds.

    Raises:
        Problem: it is not.
    """
    from fairtrial.load.capacity import METRIC_PERCENTILES  # noqa: PLC0415 see above

    expected = parse_expected_figure(text)
    if expected.percentile not in METRIC_PERCENTILES:
        names = ", ".join(f"p{each}" for each in METRIC_PERCENTILES)
        raise Problem(f"'{expected.text}' is no objective of a capacity", f"write one of {names}, such as p99<50ms")
    if not 0 < expected.limit <= LONGEST_OBJECTIVE_SECONDS:
        raise Problem(f"'{expected.text}': the time is not from above 0 to an hour", "write p99<50ms")
    return expected


def assert_sent(figures: Sequence[ExpectedFigure], names: Sequence[str], *, of_file: bool) -> None:
    """Raise a Problem if a figure is of a request that is not sent.

    Args:
        names: those of the requests that are sent.
        of_file: whether they are those of a workload file, which names them.
    """
    for figure in figures:
        if figure.request is None or (of_file and figure.request in names):
            continue
        reason = f"'{figure.text}': there is no request '{printable(figure.request, 40)}'"
        if not of_file:
            raise Problem(reason, "requests have names in a workload file: give one with -f, or leave the name out")
        raise Problem(f"{reason}{printable(instead_of(figure.request, names), 300)}", "name one of these")


def _figure(name: str) -> str | None:
    """The figure of this name as it is spelled everywhere else: `p99` for `P99.0`; None if there is none."""
    from fairtrial.judge.metrics import PERCENTILE_PATTERN  # noqa: PLC0415 see above

    lower = name.lower()
    match = re.fullmatch(PERCENTILE_PATTERN, lower)
    if match is not None and float(match[1]) > 0:
        return f"p{float(match[1]):g}"
    return lower if lower in (RATE, ERRORS, MAX, MEAN) else None


def _example(figure: str) -> str:
    return {RATE: "'rate>=2,000/s'", ERRORS: "'errors<=0.1%'"}.get(figure, f"'{figure}<50ms'")
