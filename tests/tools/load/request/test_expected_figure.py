"""Expected figures and objectives, as options write them."""

import math

import pytest

from fairtrial.base.problem import Problem
from fairtrial.judge.claims.bounded import satisfies
from fairtrial.tools.load.request.expected_figure import parse_expected_figure, parse_objective


@pytest.mark.parametrize(
    ("text", "figure", "limit", "inclusive"),
    [
        ("p99<50ms", "p99", 0.05, False),
        (" p99.9 <= 1.5 s ", "p99.9", 1.5, True),
        ("P50<250us", "p50", 250e-6, False),
        ("p97.50<50 ms", "p97.5", 0.05, False),
        ("max<1,000ms", "max", 1.0, False),
        ("mean<=5ms", "mean", 0.005, True),
        ("rate>=2,000/s", "rate", 2000, True),
        ("rate>2k/s", "rate", 2000, False),
        ("errors<=0.1%", "errors", 0.001, True),
    ],
)
def test_figures_and_bounds(text: str, figure: str, limit: float, inclusive: bool) -> None:
    expected = parse_expected_figure(text)
    assert (expected.figure, expected.inclusive) == (figure, inclusive)
    assert expected.limit == pytest.approx(limit)


def test_a_figure_may_be_of_one_request() -> None:
    expected = parse_expected_figure(" check-out.2 :p99 <50ms")
    assert (expected.request, expected.figure, expected.text) == ("check-out.2", "p99", "check-out.2: p99<50ms")
    assert parse_objective("order: p99<50ms").request == "order"
    assert parse_expected_figure("p99<50ms").request is None


@pytest.mark.parametrize(
    "text",
    [
        "order: ",
        "the order: p99<1s",
        "p99",
        "p99=50ms",
        "p99<50",
        "p99<50%",
        "p99<-1ms",
        "rate>=2000",
        "errors<=0.1",
        "p100<1s",
        "latency<1s",
        "p99>50ms",
        "rate<=2,000/s",
        "errors>1%",
        "\x1b[2J<1s",
    ],
)
def test_what_is_none(text: str, snapshot: object) -> None:
    with pytest.raises(Problem) as raised:
        parse_expected_figure(text)
    assert raised.value.reason == snapshot
    assert raised.value.remedy == snapshot


def holds(text: str, value: float) -> bool:
    """Whether a value keeps the limit."""
    return satisfies(value, parse_expected_figure(text).bounds)


def test_the_side_of_the_limit() -> None:
    assert [holds("p99<50ms", value) for value in (0.049, 0.05)] == [True, False]
    assert [holds("p99<=50ms", value) for value in (0.05, 0.051)] == [True, False]
    assert holds("errors<=0.7%", 7 / 1000), "equal but for rounding"
    assert [holds("errors<0%", 0.0), holds("errors<=0%", 0.0)] == [False, True]
    assert [holds("rate>=2k/s", rate) for rate in (1999, 2000, 2001)] == [False, True, True]


def test_a_value_is_in_the_unit_of_the_limit() -> None:
    values = [("p99<50ms", 0.01), ("p99<1s", 0.01), ("rate>=1/s", 1000.0), ("max<1s", math.inf), ("max<1s", None)]
    words = [parse_expected_figure(text).value_in_words(value) for text, value in values]
    assert words == ["10.0 ms", "0.010 s", "1,000/s", "no answer", "–"]


def test_objectives_are_percentiles_that_records_hold() -> None:
    assert parse_objective("p99.9<50ms").percentile == "99.9"
    for text in ("p97<50ms", "max<50ms", "rate>=5/s", "p99<0ms", "p99<2h"):
        with pytest.raises(Problem, match=r"no objective|not from above 0"):
            parse_objective(text)
