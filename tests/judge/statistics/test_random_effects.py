"""The pooled value of machines: known answers, and how often its interval is right where some of them lie."""

import math

import numpy as np
import pytest

from fairtrial.judge.statistics.random_effects import disagreeing, hull, pool, pools_if_some_lie
from fairtrial.judge.statistics.student import quantile
from tests.judge.statistics.machine_worlds import coverage


def test_a_worked_example() -> None:
    """Three laboratories whose τ² has a closed form: with equal errors it is the variance of the values less s²."""
    values, errors = np.array([1.0, 2.0, 3.0]), np.full(3, 0.5)
    pooled = pool(values, errors)
    assert pooled.value == pytest.approx(2.0)
    assert pooled.between == pytest.approx(math.sqrt(1.0 - 0.25))
    reach = quantile(0.95, 3) * 1.0 / math.sqrt(3)
    assert pooled.interval() == pytest.approx((2 - reach, 2 + reach)), "that of Student's t on the values"


def test_machines_that_agree_better_than_their_errors_are_weighed_by_them() -> None:
    """τ² is 0, and no factor below 1 narrows the interval (Röver and others)."""
    values, errors = np.array([1.0, 1.01, 0.99]), np.array([0.1, 0.2, 0.4])
    pooled = pool(values, errors)
    weights = 1 / errors**2
    assert pooled.between == 0
    assert pooled.value == pytest.approx(weights @ values / weights.sum())
    assert pooled.error == pytest.approx(1 / math.sqrt(weights.sum()))


def test_a_large_share_between_machines_makes_them_equal() -> None:
    values, errors = np.array([1.0, 2.0, 4.0]), np.array([1e-6, 1e-3, 1e-2])
    assert pool(values, errors).value == pytest.approx(values.mean(), rel=1e-3)


@pytest.mark.parametrize(
    ("values", "errors"), [([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([1.0, 2.0], [0.0, 1.0]), ([1.0, 2.0], [math.inf, 1.0])]
)
def test_what_cannot_be_pooled(values: list[float], errors: list[float]) -> None:
    with pytest.raises(ValueError, match="standard error"):
        pool(np.array(values), np.array(errors))


def test_no_machine_that_may_lie_decides() -> None:
    """Whatever one machine says, the others' own interval is inside the hull."""
    honest, errors = np.array([0.10, 0.12, 0.09, 0.11]), np.full(5, 0.01)
    alone = pool(honest, errors[:4]).interval()
    for said in (-3.0, 0.0, 0.105, 0.2, 5.0):
        low, high = hull(pools_if_some_lie(np.append(honest, said), errors, 1))
        assert low <= alone[0] and alone[1] <= high


def test_too_few_are_left_without_those_that_may_lie() -> None:
    with pytest.raises(ValueError, match="cannot be left out"):
        hull(pools_if_some_lie(np.zeros(4), np.ones(4), 2))


def test_a_machine_that_disagrees_is_named_and_no_other() -> None:
    values, errors = np.array([0.10, 0.12, 0.09, 0.11, 0.7]), np.full(5, 0.01)
    assert disagreeing(values, errors) == [4]
    assert disagreeing(values[:4], errors[:4]) == []
    assert disagreeing(np.array([0.1, 0.1, 3.0]), errors[:3]) == [], "of three, nobody can say which is the odd one"


@pytest.mark.parametrize(("machines", "liars"), [(3, 0), (5, 0), (5, 1), (10, 1), (30, 1)])
@pytest.mark.parametrize("between", [0.0, 0.2])
def test_the_interval_holds_the_truth_of_honest_machines(machines: int, between: float, liars: int) -> None:
    """Of 200 intervals at 95%, fewer than 178 once in a thousand simulations (binomial)."""
    assert coverage(machines, between, liars, 200).held >= 178


def test_many_liars_need_leave() -> None:
    """One liar widens the interval by more than it moves it; of ten, four who agree do not. Of 100 at 95%, fewer than
    87 once in a thousand simulations."""
    assert coverage(10, 0.02, 1, 100, allowed=0).held >= 87
    trusting, wary = (coverage(10, 0.02, 4, 100, allowed=allowed).held for allowed in (0, 4))
    assert trusting < 87 <= wary


def test_honest_machines_seldom_disagree_and_an_obvious_liar_does() -> None:
    assert coverage(10, 0.05, 0, 200).named_wrongly <= 21, "of 200 at 5%, more than 21 once in a thousand"
    assert coverage(10, 0.05, 1, 100, lie=1.0).liars_named == 100
