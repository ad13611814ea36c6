from collections.abc import Callable, Sequence

import pytest

from fairtrial.judge.statistics.shape import (
    Shape,
    advantage,
    best_within,
    diminishing_returns,
    falls,
    flat,
    leads,
    peak_between,
    rises,
    rises_and_falls,
)
from tests.judge.statistics.error_rates import EDGES, WORLDS, advantage_verdicts, misjudged
from tests.judge.statistics.simulation import at_most_five_percent

PLACES = [1, 2, 4, 8, 16]
NOISE = [1.0, 1.004, 0.997, 1.002, 0.999]


def quiet(*levels: float) -> list[list[float]]:
    """A curve with five blocks and half a percent of noise, its places rotated so that ratios scatter too."""
    return [[level * NOISE[(block + 2 * place) % 5] for block in range(5)] for place, level in enumerate(levels)]


@pytest.mark.parametrize(
    ("levels", "verdict", "between"),
    [
        ((10, 20, 30, 40, 50), "upheld", (0, 4)),
        ((10, 20, 19.8, 40, 50), "upheld", (0, 4)),  # a dip of 1% is within 5%
        ((10, 20, 15, 40, 50), "refuted", (1, 2)),
        ((50, 40, 30, 20, 10), "refuted", (0, 4)),
        ((10, 20, 19.05, 40, 50), "undecided", (1, 2)),  # a dip of 5%, give or take
        ((10, 10, 10, 10, 10), "undecided", (0, 4)),
    ],
)
def test_rises(levels: tuple[float, ...], verdict: str, between: tuple[int, int]) -> None:
    shape = rises(quiet(*levels))
    assert (shape.verdict, shape.between) == (verdict, between)
    assert shape.ratio == pytest.approx(levels[between[1]] / levels[between[0]], rel=0.01)
    assert shape.interval is not None and shape.interval[0] < shape.ratio < shape.interval[1]


def test_a_larger_dip_may_be_allowed() -> None:
    curve = quiet(10, 20, 15, 40, 50)
    assert rises(curve, dip=0.5).verdict == "upheld"


def test_falls_is_the_inverse() -> None:
    shape = falls(quiet(50, 40, 30, 20, 10))
    assert (shape.verdict, shape.between) == ("upheld", (0, 4))
    assert shape.ratio == pytest.approx(0.2, rel=0.01)
    assert shape.interval is not None and shape.interval[0] < 0.2 < shape.interval[1] < 1
    assert falls(quiet(10, 20, 30)).verdict == "refuted"


def test_drift_of_whole_blocks_hides_no_rise() -> None:
    drift = [1.0, 0.4, 1.8, 0.7, 1.2]
    curve = [[value * by for value, by in zip(point, drift, strict=True)] for point in quiet(10, 12, 14)]
    assert rises(curve).verdict == "upheld"


@pytest.mark.parametrize(
    ("levels", "verdict"),
    [
        ((10, 10.1, 9.95, 10, 10.05), "upheld"),
        ((10, 10.1, 12, 10, 10.05), "refuted"),
        ((10, 10.1, 10.5, 10, 10.05), "undecided"),
    ],
)
def test_flat(levels: tuple[float, ...], verdict: str) -> None:
    shape = flat(quiet(*levels), 0.05)
    assert shape.verdict == verdict
    if verdict != "upheld":
        assert 2 in shape.between


@pytest.mark.parametrize(
    ("levels", "verdict"),
    [
        ((10, 20, 30, 20, 10), "upheld"),
        ((10, 29.9, 30, 20, 10), "undecided"),
        ((10, 40, 30, 20, 10), "refuted"),
        ((10, 20, 30, 30, 10), "upheld"),  # two equal points inside: it matters not which is the best
    ],
)
def test_a_peak_between_two_places(levels: tuple[float, ...], verdict: str) -> None:
    assert peak_between(PLACES, quiet(*levels), (4, 8)).verdict == verdict


@pytest.mark.parametrize(
    ("levels", "verdict", "between"),
    [
        ((10, 20, 30, 20, 10), "upheld", None),
        ((10, 20, 30, 20, 20.4), "upheld", (4, 2)),  # a rise of 2% behind the peak is within 5%
        ((10, 20, 30, 10, 20), "refuted", (4, 3)),  # a peak, and a second hump behind it
        ((20, 10, 30, 20, 10), "refuted", (0, 1)),  # and before it
        ((10, 20, 30, 19.05, 20), "undecided", (4, 3)),  # a rise of 5%, give or take
        ((10, 20, 30, 40, 50), "refuted", (4, 2)),
        ((50, 40, 30, 20, 10), "refuted", (0, 2)),
        ((10, 10, 10, 10, 10), "undecided", None),
    ],
)
def test_a_curve_that_rises_and_falls(levels: tuple[float, ...], verdict: str, between: tuple[int, int] | None) -> None:
    shape = rises_and_falls(PLACES, quiet(*levels), (3, 6))
    assert shape.verdict == verdict
    assert between in (None, shape.between)
    assert shape.ratio == pytest.approx(levels[shape.between[1]] / levels[shape.between[0]], rel=0.01)
    assert shape.interval is not None and shape.interval[0] < shape.ratio < shape.interval[1]


def test_with_one_point_on_each_side_rising_and_falling_is_a_peak() -> None:
    curve = quiet(10, 30, 20)
    assert rises_and_falls([1, 2, 4], curve, (2, 2)) == peak_between([1, 2, 4], curve, (2, 2))


def test_two_blocks_decide_nothing_of_rising_and_falling() -> None:
    shape = rises_and_falls(PLACES, [point[:2] for point in quiet(10, 20, 30, 20, 10)], (3, 6))
    assert (shape.verdict, shape.interval) == ("undecided", None)


def test_the_lowest_may_be_the_best() -> None:
    times = quiet(9, 4, 2, 3, 8)
    shape = best_within(PLACES, times, (3, 5), lowest=True)
    assert (shape.verdict, shape.between) == ("upheld", (3, 2))
    assert shape.ratio == pytest.approx(2 / 3, rel=0.01)
    assert shape.interval is not None and shape.interval[0] < 2 / 3 < shape.interval[1] < 1
    assert best_within(PLACES, times, (3, 5)).verdict == "refuted"


def test_the_best_may_lie_at_an_end() -> None:
    assert best_within(PLACES, quiet(10, 20, 30, 40, 50), (16, 99)).verdict == "upheld"


def test_an_advantage_grows() -> None:
    to = quiet(100, 90, 80, 70, 60)
    shape = rises(advantage(quiet(110, 120, 130, 140, 150), to))
    assert shape.verdict == "upheld"
    assert shape.ratio == pytest.approx((150 / 60) / (110 / 100), rel=0.02)
    assert rises(advantage(to, to)).verdict == "undecided"


@pytest.mark.parametrize(
    ("levels", "verdict", "point"),
    [
        ((110, 200, 103, 150, 120), "upheld", 2),
        ((200, 200, 200, 97, 95), "refuted", 4),  # one point suffices; of two, the plainer
        ((110, 200, 100, 150, 120), "undecided", 2),
        ((100, 100, 100, 100, 100), "undecided", None),
        ((50, 200, 200, 200, 100), "refuted", 0),
    ],
)
def test_a_lead_at_every_point(levels: tuple[float, ...], verdict: str, point: int | None) -> None:
    to = [[*point[1:], point[0]] for point in quiet(100, 100, 100, 100, 100)]  # with another noise
    shape = leads(quiet(*levels), to)
    assert shape.verdict == verdict
    assert shape.between[0] == shape.between[1] and point in (None, shape.between[0])
    assert shape.ratio == pytest.approx(levels[shape.between[0]] / 100, rel=0.01)
    assert shape.interval is not None and shape.interval[0] < shape.ratio < shape.interval[1]
    assert shape.level == pytest.approx(0.99 if verdict == "refuted" else 0.95)


def test_drift_of_whole_blocks_hides_no_lead() -> None:
    drift = [1.0, 0.4, 1.8, 0.7, 1.2]
    to, of = (
        [[value * by for value, by in zip(point, drift, strict=True)] for point in quiet(*levels)]
        for levels in ((10, 20, 30), (11, 21, 32))
    )
    assert leads(of, to).verdict == "upheld"
    assert leads(to, of).verdict == "refuted"


def test_a_lead_needs_three_blocks() -> None:
    shape = leads([[2.0, 2.0], [3.0, 3.0]], [[1.0, 1.0], [1.0, 1.0]])
    assert (shape.verdict, shape.between, shape.interval) == ("undecided", (0, 0), None)
    with pytest.raises(ValueError, match="same points"):
        leads(quiet(1, 2, 3), quiet(1, 2))
    with pytest.raises(ValueError, match="positive"):
        leads([[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]], quiet(1, 2))


@pytest.mark.parametrize(
    ("levels", "verdict", "between"),
    [
        ((10, 18, 30, 44, 50), "upheld", None),
        ((10, 30, 40, 35, 20), "upheld", None),  # behind its highest point it may fall
        ((10, 11, 14, 24, 50), "refuted", (2, 2)),  # each unit brings more than the one before
        ((50, 48, 44, 35, 10), "refuted", (0, 1)),  # bent the right way, and nothing ever returns
        ((10, 12.67, 18, 28.67, 50), "undecided", None),  # a straight line, give or take
        ((10, 10, 30, 20, 8), "undecided", (0, 1)),  # nothing is proven of the first step
        ((10, 18, 15, 44, 50), "refuted", (2, 2)),  # a valley
    ],
)
def test_returns_that_diminish(levels: tuple[float, ...], verdict: str, between: tuple[int, int] | None) -> None:
    shape = diminishing_returns(PLACES, quiet(*levels))
    assert shape.verdict == verdict
    assert between in (None, shape.between)
    first, second = shape.between
    line = levels[0] + (PLACES[second] - PLACES[0]) / (PLACES[-1] - PLACES[0]) * (levels[-1] - levels[0])
    assert shape.ratio == pytest.approx(levels[second] / (line if first == second else levels[first]), rel=0.01)
    assert shape.interval is not None and shape.interval[0] < shape.ratio < shape.interval[1]


@pytest.mark.parametrize(
    "test",
    [
        rises,
        falls,
        lambda curve: flat(curve, 0.05),
        lambda curve: best_within(range(len(curve)), curve, (1, 1)),
        lambda curve: diminishing_returns(range(len(curve)), curve),
    ],
)
def test_two_blocks_decide_nothing_and_no_curve_is_refused(test: Callable[[Sequence[Sequence[float]]], Shape]) -> None:
    shape = test([[1.0, 1.0], [5.0, 5.0], [1.0, 1.0]])
    assert (shape.verdict, shape.interval) == ("undecided", None)
    for curve in ([[1.0, 2.0, 3.0]], [[1.0], [1.0, 2.0]], [[], []], [[1.0, 0.0], [1.0, 1.0]]):
        with pytest.raises(ValueError, match=r"curve|best place"):
            test(curve)


def test_what_makes_no_sense_is_refused() -> None:
    curve = quiet(1, 2, 3, 2, 1)
    with pytest.raises(ValueError, match="both sides"):
        peak_between(PLACES, curve, (1, 4))
    with pytest.raises(ValueError, match="inside and outside"):
        best_within(PLACES, curve, (5, 6))
    with pytest.raises(ValueError, match="ascending"):
        best_within([1, 1, 2, 3, 4], curve, (1, 2))
    with pytest.raises(ValueError, match="ascending"):
        diminishing_returns([1, 1, 2, 3, 4], curve)
    with pytest.raises(ValueError, match="three points"):
        diminishing_returns([1, 2], curve[:2])
    with pytest.raises(ValueError, match="margin"):
        flat(curve, 0)
    with pytest.raises(ValueError, match="dip"):
        rises(curve, dip=-0.1)
    with pytest.raises(ValueError, match="same points"):
        advantage(curve, curve[1:])
    with pytest.raises(ValueError, match="dip"):
        rises_and_falls(PLACES, curve, (2, 8), dip=-0.1)
    with pytest.raises(ValueError, match="both sides"):
        rises_and_falls(PLACES, curve, (1, 4))


@pytest.mark.parametrize("edge", EDGES)
def test_shapes_at_their_edge_are_rarely_misjudged(edge: str) -> None:
    repetitions = 100
    assert misjudged(edge, "Student t, 3 degrees", 5, repetitions) <= at_most_five_percent(repetitions)


@pytest.mark.parametrize("deviations", ["normal", "Student t, 3 degrees"])
@pytest.mark.parametrize("world", WORLDS)
def test_an_advantage_that_peaks_is_found_where_it_does_and_only_there(world: str, deviations: str) -> None:
    repetitions = 100
    found = advantage_verdicts(world, deviations, 5, repetitions)
    allowed = at_most_five_percent(repetitions)
    if world.startswith("true"):
        assert found["refuted"] <= allowed
    else:
        assert found["upheld"] <= allowed
    if world == "true":
        assert found["upheld"] > 0.8 * repetitions, "it can be found"
    if world in ("rising", "falling", "a valley"):
        assert found["refuted"] > 0.8 * repetitions, "so can the contrary"
