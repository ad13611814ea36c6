import math

import pytest

from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.planning import blocks_to_decide, window_to_decide
from fairtrial.judge.statistics.window_share import WindowShare, window_share
from tests.judge.statistics.window_worlds import BETWEEN, WAVES, WITHIN, advised

E2 = math.e**2
SERIES = [[E2, 1.0], [1.0, E2], [E2, 1.0], [1.0, E2], [E2, 1.0]]
"""Two parts of one second in each window, of logarithms 2 and 0: window variance 2 / 2 = 1, with five degrees."""


def test_the_share_by_hand() -> None:
    """Values -2 to 2 have a variance of 2.5. F with 4 and 5 degrees: 0.4036 at 20%, 2.2397 at 80% (scipy.stats)."""
    share = window_share([-2.0, -1.0, 0.0, 1.0, 2.0], [SERIES])
    assert share is not None
    assert share.estimate == share.window_over_total == pytest.approx(1 / 2.5)
    assert share.low == pytest.approx(0.40356 / 2.5, abs=1e-4)
    assert share.high == pytest.approx(2.23970 / 2.5, abs=1e-4)
    assert not share.shows_slow_waves and not share.is_small and not share.is_large


def test_of_a_ratio_both_windows_count() -> None:
    share = window_share([-2.0, -1.0, 0.0, 1.0, 2.0], [SERIES, SERIES])
    assert share is not None and share.estimate == pytest.approx(2 / 2.5)


@pytest.mark.parametrize(
    ("values", "series"),
    [
        ([1.0, 2.0, 3.0, 4.0], SERIES[:4]),
        ([1.0, 2.0, 3.0, 4.0, 5.0], SERIES[:4]),
        ([1.0, 1.0, 1.0, 1.0, 1.0], SERIES),
        ([1.0, 2.0, 3.0, 4.0, 5.0], [[1.0]] * 5),
        ([1.0, 2.0, 3.0, 4.0, 5.0], [[1.0, 0.0]] * 5),
        ([1.0, 2.0, 3.0, 4.0, 5.0], [[1.0, 1.0]] * 5),
    ],
)
def test_nothing_is_known_of(values: list[float], series: list[list[float]]) -> None:
    assert window_share(values, [series]) is None


def a_share(estimate: float) -> WindowShare:
    return WindowShare(estimate, estimate, estimate, estimate, True)


def test_a_window_that_decides_by_hand() -> None:
    """Where all scatter is within, four times the window halves it, as windows average; half between starts is too much
    for any."""
    found = Estimate(estimate=1.1, interval=(1.1 * math.exp(-0.1), 1.1 * math.exp(0.1)), blocks=5)
    longer = window_to_decide(found, [1.0], a_share(1.0))
    again = window_to_decide(
        found.model_copy(update={"estimate": 1.1**0.5, "interval": _around(0.5)}), [1.0], a_share(1)
    )
    assert longer is not None and again == pytest.approx(4 * longer)
    assert window_to_decide(found, [1.0], a_share(0.1)) is None
    assert window_to_decide(found.model_copy(update={"interval": None}), [1.0], a_share(1.0)) is None
    assert blocks_to_decide(found, [1.0]) is not None


def _around(power: float) -> tuple[float, float]:
    return 1.1**power * math.exp(-0.1), 1.1**power * math.exp(0.1)


@pytest.mark.parametrize("blocks", [5, 10])
@pytest.mark.parametrize("name", WITHIN)
def test_where_the_scatter_is_within_windows_nobody_advises_against_longer_ones(name: str, blocks: int) -> None:
    advice = advised(WITHIN[name], blocks, 10, 150)
    assert advice.longer >= 0.25 * advice.experiments
    assert advice.not_longer <= 0.2 * (advice.longer + advice.not_longer)


@pytest.mark.parametrize("blocks", [5, 10])
@pytest.mark.parametrize("name", BETWEEN)
def test_where_starts_differ_nobody_advises_longer_windows(name: str, blocks: int) -> None:
    advice = advised(BETWEEN[name], blocks, 10, 150)
    assert advice.not_longer >= 0.5 * advice.experiments
    assert advice.longer <= 0.2 * (advice.longer + advice.not_longer)


@pytest.mark.parametrize("seconds", [3, 10])
@pytest.mark.parametrize("name", WAVES)
def test_waves_that_windows_cannot_show_are_not_taken_for_starts(name: str, seconds: int) -> None:
    advice = advised(WAVES[name], 10, seconds, 150)
    assert advice.not_longer <= 0.03 * advice.experiments


def test_short_windows_never_say_that_longer_ones_will_not_help() -> None:
    assert advised(BETWEEN["starts alone"], 10, 9, 50).not_longer == 0


def test_windows_of_the_length_that_is_named_decide_about_four_of_five() -> None:
    """81% with 10 blocks and 92% with 20 (docs/statistics.md), less three standard errors of a hundred."""
    decided = [each for blocks in (10, 20) for each in advised(WITHIN["independent seconds"], blocks, 10, 900).decided]
    assert len(decided) > 60 and sum(decided) > 0.68 * len(decided)
