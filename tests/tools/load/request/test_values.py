"""Times, rates, ramps, steps, statuses and headers, as options write them."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.tools.load.request.values import (
    duration_option,
    parse_header,
    parse_ramp,
    parse_rate_or_zero,
    parse_statuses,
    parse_steps,
    rate_option,
)


def test_ramps() -> None:
    assert parse_ramp("0:5k") == (0, 5000)
    assert parse_ramp("100:10") == (100, 10)
    for text in ("5", "0:0", ":", "a:b", "1:2:3"):
        with pytest.raises(Problem, match="not a ramp"):
            parse_ramp(text)


def test_steps() -> None:
    assert parse_steps("500:10s, 1k:500ms,0:2m") == ((500, 10), (1000, 0.5), (0, 120))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "500:10s,1k",
        "500:10s,",
        "5:1s,fast:10s,6:1s",
        "11M:1s",
        "5:soon",
        "5:0s",
        "5:10us",
        "0:1s,0:2s",
        "5:13h,6:13h",
    ],
)
def test_invalid_steps(text: str, snapshot: object) -> None:
    with pytest.raises(Problem) as raised:
        parse_steps(text)
    assert raised.value.reason == snapshot
    assert raised.value.remedy


def test_statuses() -> None:
    assert parse_statuses("200,404") == (200, 404)
    assert parse_statuses("404, 200,200") == (200, 404)
    assert parse_statuses("3xx") == tuple(range(300, 400))
    assert parse_statuses("200-202,204") == (200, 201, 202, 204)
    for text in ("", "ok", "99", "600", "6xx", "204-200", "200,"):
        with pytest.raises(Problem):
            parse_statuses(text)


def test_headers() -> None:
    assert parse_header("Accept: text/plain") == ("Accept", "text/plain")
    assert parse_header("X-Empty:") == ("X-Empty", "")
    assert parse_header("X-Url: http://a:1/") == ("X-Url", "http://a:1/")
    for text in ("Accept", ": x", "a b: c", "X: a\r\nY: b", "X: \x00"):
        with pytest.raises(Problem):
            parse_header(text)


@pytest.mark.parametrize("name", ["Connection", "content-length", "Transfer-Encoding"])
def test_headers_that_the_user_may_not_set(name: str) -> None:
    with pytest.raises(Problem, match="set by Fairtrial") as raised:
        parse_header(f"{name}: x")
    assert raised.value.remedy


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
    assert duration_option(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "0", "-1s", "25h", "1d", "1 0s", "nan", "5%", "2000/s"])
def test_invalid_durations(text: str) -> None:
    with pytest.raises(Problem, match="not a time"):
        duration_option(text)


@pytest.mark.parametrize(
    ("text", "rate"),
    [("2000", 2000), ("2k", 2000), ("1.5M", 1.5e6), ("2000/s", 2000), ("90/m", 1.5), ("1k/m", 1e3 / 60)],
)
def test_rates(text: str, rate: float) -> None:
    assert rate_option(text) == pytest.approx(rate)


@pytest.mark.parametrize("text", ["", "0", "fast", "-5", "11M", "5/d", "10s"])
def test_invalid_rates(text: str) -> None:
    with pytest.raises(Problem, match="not a rate"):
        rate_option(text)


def test_zero_is_a_rate_where_it_may_be() -> None:
    assert parse_rate_or_zero("0") == 0
    assert parse_rate_or_zero("10M") == 10_000_000
    assert parse_rate_or_zero("11M") is None
    assert parse_rate_or_zero("fast") is None
