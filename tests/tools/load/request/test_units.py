"""Times and rates with their units, as options write them."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.tools.load.request.units import parse_duration, parse_rate, parse_rate_or_zero


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10s", 10),
        ("500ms", 0.5),
        ("2m", 120),
        ("1h", 3600),
        ("3", 3),
        (" 1.5s ", 1.5),
        ("250us", 0.00025),
        ("1e3", 1000),
        ("2 min", 120),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "0", "-1s", "25h", "1d", "1 0s", "nan", "5%", "2000/s"])
def test_invalid_durations(text: str) -> None:
    with pytest.raises(Problem, match="not a time"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "rate"),
    [("2000", 2000), ("2k", 2000), ("1.5M", 1.5e6), ("2000/s", 2000), ("90/m", 1.5), ("1k/m", 1e3 / 60)],
)
def test_rates(text: str, rate: float) -> None:
    assert parse_rate(text) == pytest.approx(rate)


@pytest.mark.parametrize("text", ["", "0", "fast", "-5", "11M", "5/d", "10s"])
def test_invalid_rates(text: str) -> None:
    with pytest.raises(Problem, match="not a rate"):
        parse_rate(text)


def test_zero_is_a_rate_where_it_may_be() -> None:
    assert parse_rate_or_zero("0") == 0
    assert parse_rate_or_zero("10M") == 10_000_000
    assert parse_rate_or_zero("11M") is None
    assert parse_rate_or_zero("fast") is None
