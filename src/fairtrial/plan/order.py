"""Conditions, and the order in which they are tried."""

import random
from collections.abc import Sequence

from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef
from fairtrial.experiment.value import shown
from fairtrial.record.model import Condition

AGAIN = " again"


def conditions_of(experiment: Experiment) -> list[Condition]:
    """One condition for each stack of the experiment at each value of its sweep, in the file's order."""
    conditions = [_condition(experiment.at(one.at), one) for one in experiment.contenders]
    return conditions + ([_again(conditions[0])] if experiment.noise_floor else [])


def _again(condition: Condition) -> Condition:
    """The same under another name: whatever is found between the two is noise."""
    return condition.model_copy(
        update={"id": f"{condition.id}/again", "contender": f"{condition.contender}{AGAIN}", "again": True}
    )


def _condition(experiment: Experiment, contender: ConditionRef) -> Condition:
    stack = contender.stack
    service = experiment.service_of(stack)
    point = "" if contender.at is None else f"/{shown(contender.at)}"
    return Condition(
        id=f"{stack.name}/{stack.variant}/{experiment.workload}/{service}{point}",
        stack=stack.name,
        variant=stack.variant,
        workload=experiment.workload,
        service=service,
        load=experiment.load,
        contender=str(contender),
        at=contender.at,
    )


def block_order(conditions: Sequence[Condition], blocks: int, seed: int) -> list[list[str]]:
    """Per block, the ids of all conditions in an order drawn anew: randomised complete blocks.

    What drifts over the run (temperature, other tenants) then falls on no condition in particular, and within a block
    on all of them alike.
    """
    draw = random.Random(seed)  # noqa: S311 (an order, not a secret)
    ids = [condition.id for condition in conditions]
    return [draw.sample(ids, len(ids)) for _ in range(blocks)]
