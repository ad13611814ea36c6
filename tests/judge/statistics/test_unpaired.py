import math

import numpy as np
import pytest
from scipy import stats

from fairtrial.judge.statistics.estimate import over_blocks
from fairtrial.judge.statistics.unpaired import unpaired_ratio
from tests.judge.statistics.error_rates import false_regressions, unpaired_coverage
from tests.judge.statistics.simulation import DEVIATIONS


def test_each_end_is_recovered_from_the_sides() -> None:
    of, to = [3.0, 3.3, 2.8, 3.1, 3.2, 2.9], [1.0, 1.1, 0.9]
    first, second = over_blocks(of), over_blocks(to)
    ratio = unpaired_ratio(of, to)
    assert first.interval is not None
    assert second.interval is not None
    assert ratio.interval is not None
    low = math.hypot(math.log(first.estimate / first.interval[0]), math.log(second.interval[1] / second.estimate))
    high = math.hypot(math.log(first.interval[1] / first.estimate), math.log(second.estimate / second.interval[0]))
    assert ratio.estimate == pytest.approx(first.estimate / second.estimate)
    assert ratio.interval == pytest.approx((ratio.estimate * math.exp(-low), ratio.estimate * math.exp(high)))


def test_few_values_on_both_sides_are_compared_as_welch_did() -> None:
    of, to = [3.0, 3.3, 2.8, 3.1], [1.0, 1.1, 0.9]
    expected = stats.ttest_ind(np.log(of), np.log(to), equal_var=False).confidence_interval(0.95)
    assert unpaired_ratio(of, to).interval == pytest.approx((math.exp(expected.low), math.exp(expected.high)))


def test_against_a_side_that_never_varies_the_interval_is_that_of_the_other() -> None:
    of = [3.0, 3.3, 2.8, 3.1, 3.2, 4.0, 2.9]
    assert unpaired_ratio(of, [2.0] * 4).interval == pytest.approx([end / 2 for end in over_blocks(of).interval or ()])


def test_a_turned_ratio_has_a_turned_interval() -> None:
    of, to = [3.0, 3.3, 2.8, 3.1], [1.0, 1.1, 0.9]
    first, turned = unpaired_ratio(of, to).interval, unpaired_ratio(to, of).interval
    assert first is not None
    assert turned == pytest.approx((1 / first[1], 1 / first[0]))


def test_two_values_on_a_side_carry_no_interval() -> None:
    ratio = unpaired_ratio([2.0, 2.0], [1.0, 1.0, 1.0])
    assert (ratio.estimate, ratio.interval, ratio.blocks) == (2.0, None, 2)
    assert unpaired_ratio([2.0] * 3, [1.0] * 3).interval == (2.0, 2.0)


@pytest.mark.parametrize(("of", "to"), [([], [1.0]), ([1.0], []), ([0.0], [1.0]), ([1.0], [float("nan")])])
def test_a_ratio_needs_positive_values(of: list[float], to: list[float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        unpaired_ratio(of, to)


@pytest.mark.parametrize("name", DEVIATIONS)
@pytest.mark.parametrize("blocks", [3, 5, 10])
def test_the_interval_holds_the_truth(name: str, blocks: int) -> None:
    """Of 400 intervals at 95%, fewer than 365 once in a thousand simulations (binomial)."""
    assert unpaired_coverage(name, blocks, 400) >= 365


def test_one_run_on_each_side_may_look_like_a_regression() -> None:
    """docs/compare.md: 25 of 100, where runs differ by 5%."""
    assert 100 <= false_regressions(1, 0.05, 500) <= 150


@pytest.mark.parametrize("runs", [3, 5])
@pytest.mark.parametrize("between_runs", [0.0, 0.05, 0.1])
def test_several_runs_on_each_side_hardly_ever_do(runs: int, between_runs: float) -> None:
    """2.5% are allowed; of 500, more than 24 would be found once in a thousand simulations (binomial)."""
    assert false_regressions(runs, between_runs, 500) <= 24
