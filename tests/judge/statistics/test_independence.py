"""Von Neumann's ratio of ranks, against its formula by hand and by simulation."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from fairtrial.judge.statistics.independence import SHORTEST, serial_dependence
from tests.judge.statistics.simulation import leaning_blocks


def test_the_ratio_of_a_series_by_hand() -> None:
    """Ranks 2 3 1 5 4 6 8 7 10 9: neighbours differ by 1 2 4 1 2 2 1 3 1, squared 41; ranks of ten have 82.5."""
    values = [2.0, 30.0, 1.0, 50.0, 40.0, 61.0, 800.0, 70.0, 1e6, 900.0]
    variance = 4 * 8 * (500 - 20 - 9) / (5 * 10 * 11 * 81)
    expected = NormalDist().cdf((41 / 82.5 - 2) / math.sqrt(variance))
    assert serial_dependence(values) == pytest.approx(expected)


def test_what_alternates_leans_on_nothing_and_equal_values_show_nothing() -> None:
    assert serial_dependence([1.0, 2.0] * 6) > 0.99
    assert serial_dependence([3.0] * 12) == 1


def test_fewer_than_ten_values_are_refused() -> None:
    with pytest.raises(ValueError, match="no fewer than 10 values"):
        serial_dependence([1.0] * (SHORTEST - 1))


@pytest.mark.parametrize("length", [10, 20, 40])
@pytest.mark.parametrize("world", ["normal", "lognormal"])
def test_independent_values_are_found_dependent_in_five_of_a_hundred(world: str, length: int) -> None:
    random = np.random.default_rng(length)
    draw = random.standard_normal if world == "normal" else lambda size: np.exp(2 * random.standard_normal(size))
    found = sum(serial_dependence(draw(length).tolist()) < 0.05 for _ in range(2000))
    # 5% of 2,000, within four standard deviations.
    assert 60 <= found <= 140


def test_values_that_lean_on_the_one_before_are_found() -> None:
    random = np.random.default_rng(6)
    found = sum(serial_dependence(leaning_blocks(random, 40, 0.6).tolist()) < 0.05 for _ in range(200))
    assert found > 180
