"""Conditions, and the order in which they are tried."""

import random
from collections.abc import Sequence

from fairtrial.experiment.model import Experiment
from fairtrial.record.model import Condition


def conditions_of(experiment: Experiment) -> list[Condition]:
    """One condition for each stack of the experiment, in the file's order."""
    return [
        Condition(
            id=f"{stack.name}/{stack.variant}/{experiment.workload}/{experiment.service_of(stack)}",
            stack=stack.name,
            variant=stack.variant,
            workload=experiment.workload,
            service=experiment.service_of(stack),
            load=experiment.load,
            contender=str(stack),
        )
        for stack in experiment.stacks
    ]


def block_order(conditions: Sequence[Condition], blocks: int, seed: int) -> list[list[str]]:
    """Per block, the ids of all conditions in an order drawn anew: randomised complete blocks.

    What drifts over the run (temperature, other tenants) then falls on no condition in particular, and within a block
    on all of them alike.
    """
    draw = random.Random(seed)  # noqa: S311 (an order, not a secret)
    ids = [condition.id for condition in conditions]
    return [draw.sample(ids, len(ids)) for _ in range(blocks)]
