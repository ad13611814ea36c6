import numpy as np
import pytest
from scipy import stats

from fairtrial.judge.statistics.share import fewest_to_uphold, share_interval, starts_to_decide


@pytest.mark.parametrize(("having", "tried"), [(0, 5), (3, 5), (5, 5), (36, 36), (17, 40)])
def test_the_interval_is_clopper_and_pearsons(having: int, tried: int) -> None:
    expected = stats.binomtest(having, tried).proportion_ci(0.95, method="exact")
    assert share_interval(having, tried) == pytest.approx((expected.low, expected.high))


def test_starts_that_all_have_it_by_hand() -> None:
    """0.025^(1/n): 0.478 for five, and 0.9 is reached with 36."""
    assert share_interval(5, 5) == pytest.approx((0.025 ** (1 / 5), 1))
    assert share_interval(35, 35)[0] < 0.9 <= share_interval(36, 36)[0]
    assert fewest_to_uphold(0.9) == 36 and fewest_to_uphold(0.5) == 6


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("tried", [3, 5, 20, 40])
def test_it_holds_the_truth_at_least_as_often_as_it_says(share: float, tried: int) -> None:
    possible = np.arange(tried + 1)
    held = [low <= share <= high for low, high in (share_interval(int(having), tried) for having in possible)]
    assert stats.binom.pmf(possible, tried, share)[held].sum() >= 0.95


def test_a_share_on_the_bound_is_never_decided() -> None:
    assert starts_to_decide(36, 40, 0.9) is None
    assert starts_to_decide(3, 5, 0.9) is not None


def test_the_number_from_which_on_four_of_five_runs_decide_is_named() -> None:
    """By Clopper and Pearson's interval (scipy's, which is faster) and Jeffreys' beta-binomial distribution, one number
    of starts after the other."""

    def decided(starts: int) -> float:
        possible = np.arange(starts + 1)
        low = np.nan_to_num(stats.beta.ppf(0.025, possible, starts - possible + 1))
        high = np.nan_to_num(stats.beta.ppf(0.975, possible + 1, starts - possible), nan=1.0)
        decides = (low >= 0.5) | (high < 0.5)
        return float(stats.betabinom.pmf(possible, starts, 12.5, 5.5)[decides].sum())

    # One more start may make it less likely, as counts are whole: 94 would do, 100 would not.
    enough = [starts for starts in range(18, 200) if decided(starts) >= 0.8]
    named = starts_to_decide(12, 17, 0.5)
    assert named is not None and named > enough[0]
    assert enough[enough.index(named) :] == list(range(named, 200)) and named - 1 not in enough


@pytest.mark.parametrize("tried", [5, 10, 20])
def test_the_named_number_decides_four_of_five_runs(tried: int) -> None:
    """Of undecided runs whose true share lies anywhere, each followed by a fresh run of as many starts as it names."""
    random = np.random.default_rng(19)
    needed = {
        having: starts_to_decide(having, tried, 0.9)
        for having in range(tried + 1)
        if share_interval(having, tried)[0] < 0.9 <= share_interval(having, tried)[1]
    }
    decided = []
    for share in random.uniform(0.3, 1, 3000):
        starts = needed.get(int(random.binomial(tried, share)))
        if starts is not None:
            low, high = share_interval(int(random.binomial(starts, share)), starts)
            decided.append(low >= 0.9 or high < 0.9)
    assert len(decided) > 300 and 0.7 <= np.mean(decided) <= 0.9


@pytest.mark.parametrize(("having", "tried"), [(1, 0), (3, 2), (-1, 2)])
def test_no_share_without_starts(having: int, tried: int) -> None:
    with pytest.raises(ValueError, match="share"):
        share_interval(having, tried)
