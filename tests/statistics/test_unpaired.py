import numpy as np
import pytest
from scipy import stats

from fairtrial.statistics.seeding import generator
from fairtrial.statistics.unpaired import unpaired_ratio
from tests.statistics.error_rates import unpaired_coverage


def test_many_normal_blocks_agree_with_welch() -> None:
    random = np.random.default_rng(1)
    of, to = random.normal(1, 0.1, 40), random.normal(0.5, 0.4, 30)
    found = unpaired_ratio(np.exp(of).tolist(), np.exp(to).tolist(), generator(1))
    expected = stats.ttest_ind(of, to, equal_var=False).confidence_interval(0.95)
    assert found.estimate == pytest.approx(np.exp(of.mean() - to.mean()))
    assert found.interval is not None
    assert np.log(found.interval) == pytest.approx([expected.low, expected.high], abs=0.012)


def test_the_order_of_blocks_does_not_matter() -> None:
    of, to = [3.0, 3.3, 2.8, 3.1], [1.0, 1.1, 0.9]
    one = unpaired_ratio(of, to, generator(1)).interval
    other = unpaired_ratio(of[::-1], to, generator(1)).interval
    assert one == pytest.approx(other, rel=0.05)


def test_two_values_on_a_side_carry_no_interval() -> None:
    found = unpaired_ratio([2.0, 2.0], [1.0, 1.0, 1.0], generator(1))
    assert (found.estimate, found.interval, found.blocks) == (2.0, None, 2)
    assert unpaired_ratio([2.0] * 3, [1.0] * 3, generator(1)).interval == (2.0, 2.0)


@pytest.mark.parametrize(("of", "to"), [([], [1.0]), ([1.0], []), ([0.0], [1.0]), ([1.0], [float("nan")])])
def test_a_ratio_needs_positive_values(of: list[float], to: list[float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        unpaired_ratio(of, to, generator(1))


@pytest.mark.parametrize("name", ["normal", "Student t, 3 degrees", "autocorrelated seconds"])
def test_the_interval_holds_the_truth(name: str) -> None:
    """Of 400 intervals at 95%, fewer than 365 once in a thousand simulations (binomial)."""
    assert unpaired_coverage(name, 5, 400) >= 365
