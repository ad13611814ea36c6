import numpy as np
import pytest
from scipy import stats

from fairtrial.judge.statistics.uniformity import bins_test, pairs_test


def test_bins_agree_with_scipy() -> None:
    counts = [52, 48, 61, 39]
    test = bins_test(counts, 1000)
    expected = stats.chisquare(counts)
    assert test is not None
    assert (test.statistic, test.degrees, test.p_value) == pytest.approx((expected.statistic, 3, expected.pvalue))


def test_a_known_die() -> None:
    """A textbook's die: 5, 8, 9, 8, 10 and 20 of 60 throws have chi-square 13.4, p 0.01991."""
    test = bins_test([5, 8, 9, 8, 10, 20], 6)
    assert test is not None
    assert test.statistic == pytest.approx(13.4)
    assert test.p_value == pytest.approx(0.01991, abs=1e-4)


def test_bins_are_merged_until_five_are_expected() -> None:
    test = bins_test([1] * 100, 1_000_000)
    assert test is not None
    assert test.degrees == 19
    assert bins_test([1] * 9 + [0] * 91, 1_000_000) is None
    assert bins_test([0] * 100, 1_000_000) is None


def test_parts_of_unequal_size_are_expected_to_differ() -> None:
    """250 rows in 100 parts: every other part has two rows, the others three."""
    places = np.arange(250).repeat(100)
    counts = np.bincount(places * 100 // 250, minlength=100)
    test = bins_test([int(count) for count in counts], 250)
    assert test is not None
    assert test.statistic == pytest.approx(0)


def test_expected_pairs_are_the_birthday_problem() -> None:
    """23 people, 365 days: 253 / 365 pairs are expected."""
    test = pairs_test(23, 1, 365)
    assert test.expected == pytest.approx(253 / 365)
    assert test.p_too_many == pytest.approx(stats.poisson.sf(0, 253 / 365))


@pytest.mark.parametrize(("rows", "picks"), [(1_000_000, 30_000), (1000, 30_000), (20, 5000)])
def test_honest_picks_are_rarely_suspected(rows: int, picks: int) -> None:
    random = np.random.default_rng(11)
    suspected = 0
    for _ in range(1000):
        drawn = random.integers(0, rows, picks, dtype=np.int32)
        counts = np.bincount(drawn) if rows < picks else np.unique_counts(drawn).counts
        test = pairs_test(picks, int((counts * (counts - 1) // 2).sum()), rows)
        suspected += min(test.p_too_many, test.p_too_few) < 0.01
        assert (test.are_too_many(0.01), test.are_too_few(0.01)) == (test.p_too_many < 0.01, test.p_too_few < 0.01)
    assert suspected <= 35  # 20 are expected; 35 is beyond four standard deviations only


def test_a_hundredth_of_the_rows_shows_as_such() -> None:
    picks = np.random.default_rng(5).integers(0, 10_000, 50_000) * 100
    _, counts = np.unique(picks, return_counts=True)
    test = pairs_test(50_000, int((counts * (counts - 1) // 2).sum()), 1_000_000)
    assert test.effective_share == pytest.approx(0.01, rel=0.02)
    assert test.p_too_many < 1e-100


def test_pairs_need_two_picks_and_two_rows() -> None:
    with pytest.raises(ValueError, match="at least two"):
        pairs_test(1, 0, 100)
