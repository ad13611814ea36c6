"""Randomised complete blocks."""

from collections import Counter

from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.load.closed import ClosedLoad
from fairtrial.plan.make import block_order
from tests.builders.experiment import conditions_of


def conditions(count: int) -> list[str]:
    return [f"stack-{number}" for number in range(count)]


def experiment(names: list[str]) -> Experiment:
    return Experiment(
        name="x",
        title="x",
        workload="random-item",
        service="sqlite",
        stacks=[StackRef(name=name) for name in names],
        load=ClosedLoad(),
    )


def test_every_block_holds_every_condition_once() -> None:
    tried = conditions_of(experiment(conditions(5)))
    for block in block_order(tried, 20, seed=3):
        assert sorted(condition.id for condition in block) == sorted(condition.id for condition in tried)


def test_the_order_follows_from_the_seed() -> None:
    tried = conditions_of(experiment(conditions(5)))
    assert block_order(tried, 20, seed=3) == block_order(tried, 20, seed=3)
    assert block_order(tried, 20, seed=3) != block_order(tried, 20, seed=4)


def test_every_condition_comes_first_equally_often() -> None:
    """2,000 blocks of 4: each leads 500 times, give or take five standard deviations of a binomial (97)."""
    tried = conditions_of(experiment(conditions(4)))
    first = Counter(block[0].id for block in block_order(tried, 2000, seed=1))
    assert all(abs(count - 500) < 97 for count in first.values())
