import numpy as np
import pytest
from scipy import stats

from fairtrial.judge.statistics.share import share_interval, starts_to_decide


@pytest.mark.parametrize(("having", "tried"), [(0, 5), (3, 5), (5, 5), (36, 36), (17, 40)])
def test_the_interval_is_clopper_and_pearsons(having: int, tried: int) -> None:
    expected = stats.binomtest(having, tried).proportion_ci(0.95, method="exact")
    assert share_interval(having, tried) == pytest.approx((expected.low, expected.high))


def test_starts_that_all_have_it_by_hand() -> None:
    """0.025^(1/n): 0.478 for five, and 0.9 is reached with 36."""
    assert share_interval(5, 5) == pytest.approx((0.025 ** (1 / 5), 1))
    assert share_interval(35, 35)[0] < 0.9 <= share_interval(36, 36)[0]
    assert starts_to_decide(5, 5, 0.9) == 36


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("tried", [3, 5, 20, 40])
def test_it_holds_the_truth_at_least_as_often_as_it_says(share: float, tried: int) -> None:
    possible = np.arange(tried + 1)
    held = [low <= share <= high for low, high in (share_interval(int(having), tried) for having in possible)]
    assert stats.binom.pmf(possible, tried, share)[held].sum() >= 0.95


def test_a_share_on_the_bound_is_never_decided() -> None:
    assert starts_to_decide(9, 10, 0.9) is None
    assert starts_to_decide(3, 5, 0.9) is not None


@pytest.mark.parametrize(("having", "tried"), [(1, 0), (3, 2), (-1, 2)])
def test_no_share_without_starts(having: int, tried: int) -> None:
    with pytest.raises(ValueError, match="share"):
        share_interval(having, tried)
