"""Expected figures and objectives, as options write them."""

import pytest

from fairtrial.base.problem import Problem
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


def test_the_side_of_the_limit() -> None:
    below, at_most = parse_expected_figure("p99<50ms"), parse_expected_figure("p99<=50ms")
    assert [below.holds(0.05), at_most.holds(0.05), below.holds(0.049), at_most.holds(0.051)] == [
        False,
        True,
        True,
        False,
    ]
    assert parse_expected_figure("errors<=0.7%").holds(7 / 1000), "equal but for rounding"
    assert [parse_expected_figure("rate>=2k/s").holds(rate) for rate in (1999, 2000, 2001)] == [False, True, True]


def test_objectives_are_percentiles_that_records_hold() -> None:
    assert parse_objective("p99.9<50ms").percentile == "99.9"
    for text in ("p97<50ms", "max<50ms", "rate>=5/s", "p99<0ms", "p99<2h"):
        with pytest.raises(Problem, match=r"no objective|not from above 0"):
            parse_objective(text)
