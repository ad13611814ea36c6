import math

import numpy as np
import pytest
from scipy import stats

from fairtrial.judge.statistics.equivalence import equal_within
from tests.judge.statistics.error_rates import ANSWERS, ORDERS, answers, at_the_margin, order_answers
from tests.judge.statistics.simulation import at_most_five_percent


def test_close_ratios_are_equal_within_a_margin() -> None:
    equivalence = equal_within([1.01, 0.99, 1.0, 1.005, 0.995], 0.05)
    assert equivalence.verdict == "upheld"
    assert equivalence.within == pytest.approx((0.95238, 1.05), abs=1e-5)
    assert equivalence.inner is not None and equivalence.outer is not None
    assert (
        equivalence.outer[0] < equivalence.inner[0] < equivalence.estimate < equivalence.inner[1] < equivalence.outer[1]
    )


def test_distant_ratios_are_not() -> None:
    assert equal_within([2.0, 2.1, 1.95, 2.05], 0.05).verdict == "refuted"
    assert equal_within([0.5, 0.51, 0.49, 0.5], 0.05).verdict == "refuted"


def test_no_difference_found_is_not_equality() -> None:
    assert equal_within([0.7, 1.4, 1.0, 1.2, 0.8], 0.05).verdict == "undecided"


def test_two_blocks_decide_nothing() -> None:
    equivalence = equal_within([1.0, 1.0], 0.05)
    assert (equivalence.verdict, equivalence.inner, equivalence.outer) == ("undecided", None, None)


def test_it_takes_no_side() -> None:
    """A ratio of 1.04 is as far from equality as its inverse."""
    ratios = [1.02, 1.06, 1.03, 1.05, 1.04]
    for margin in (0.03, 0.05, 0.08):
        upward = equal_within(ratios, margin)
        downward = equal_within([1 / ratio for ratio in ratios], margin)
        assert upward.verdict == downward.verdict


def test_four_blocks_agree_with_schuirmann() -> None:
    logs = np.random.default_rng(9).normal(0.01, 0.02, 4)
    equivalence = equal_within(np.exp(logs).tolist(), 0.05)
    expected = stats.t.interval(0.90, 3, logs.mean(), stats.sem(logs))
    assert equivalence.inner == pytest.approx(np.exp(expected))


def test_one_slow_block_in_ten_does_not_hide_equality() -> None:
    ratios = [1.01, 0.99, 1.0, 1.005, 0.995, 1.002, 0.998, 1.003, 0.997, 3.0]
    equivalence = equal_within(ratios, 0.05)
    assert equivalence.verdict == "upheld" and equivalence.estimate == pytest.approx(1.001, abs=0.001)


@pytest.mark.parametrize(
    ("ratios", "margin"), [([], 0.05), ([0.0, 1.0], 0.05), ([1.0, math.inf], 0.05), ([1.0, 1.0], 0.0)]
)
def test_what_cannot_be_tested(ratios: list[float], margin: float) -> None:
    with pytest.raises(ValueError, match=r"equality|margin"):
        equal_within(ratios, margin)


@pytest.mark.parametrize("name", ["normal", "Student t, 3 degrees", "one slow start in ten"])
def test_a_ratio_at_the_margin_is_rarely_called_equal(name: str) -> None:
    """The worst case of a false equality: the truth lies on the margin."""
    repetitions = 400
    verdicts = at_the_margin(name, 5, repetitions)
    assert verdicts["upheld"] <= at_most_five_percent(repetitions)
    assert verdicts["refuted"] <= at_most_five_percent(repetitions, 0.025)


@pytest.mark.parametrize("looks", [(5,), (40,), (5, 10, 20, 40)])
@pytest.mark.parametrize("world", ANSWERS)
def test_wrong_answers_to_a_claim_share_one_error_rate(world: str, looks: tuple[int, ...]) -> None:
    repetitions = 300
    verdicts = answers("normal", world, looks, repetitions)
    assert sum(verdicts[each] for each in ANSWERS[world][2]) <= at_most_five_percent(repetitions)


@pytest.mark.parametrize("world", ORDERS)
def test_wrong_answers_to_an_order_share_one_error_rate(world: str) -> None:
    repetitions = 300
    verdicts = order_answers(world, 20, repetitions)
    assert sum(verdicts[each] for each in ORDERS[world][1]) <= at_most_five_percent(repetitions)


def test_two_equals_are_called_so() -> None:
    assert answers("normal", "equal, “at least 1”", (10,), 100)["equal"] > 80
    assert order_answers("three equals", 20, 100)["equal"] > 80
