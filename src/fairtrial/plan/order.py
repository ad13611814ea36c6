"""Conditions as the record has them, and the order in which they are tried."""

import random
from collections.abc import Sequence
from typing import TypeVar

from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.stack_class import PRODUCTION, StackClass
from fairtrial.experiment.value import Value, format_value
from fairtrial.record.model import Condition

Item = TypeVar("Item")


def recorded_condition(
    experiment: Experiment,
    stack: StackRef,
    value: Value | None,
    *,
    stack_class: StackClass = PRODUCTION,
    again: bool = False,
) -> Condition:
    """A condition's entry in the record.

    Args:
        experiment: as it stands at `value`.
        again: whether it is the second of a pair of equals, tried for the noise floor.
    """
    service = experiment.service_of(stack)
    label = str(stack) if value is None else f"{stack} at {format_value(value)}"
    at = [] if value is None else [format_value(value)]
    parts = [stack.name, stack.variant, experiment.workload_name, service, *at]
    return Condition(
        id="/".join([*parts, "again"] if again else parts),
        stack=stack.name,
        variant=stack.variant,
        workload=experiment.workload_name,
        service=service,
        stack_class=stack_class,
        load=experiment.load,
        placement=experiment.placement,
        distances=distances(experiment, service),
        contender=f"{label} again" if again else label,
        at=value,
        again=again,
    )


def distances(experiment: Experiment, service: str) -> dict[str, str]:
    """By service, how far it is away from a stack on `service`, in words; one without a proxy before it is left out."""
    used = [name for name in (service, experiment.cache) if name is not None and name in experiment.services]
    words = {name: experiment.services[name].distance() for name in used}
    return {name: distance for name, distance in words.items() if distance is not None}


def block_order(conditions: Sequence[Item], blocks: int, seed: int) -> list[list[Item]]:
    """Per block, all conditions in an order drawn anew: randomised complete blocks.

    What drifts over the run (temperature, other tenants) then falls on no condition in particular, and within a block
    on all of them alike.
    """
    draw = random.Random(seed)  # noqa: S311 (an order, not a secret)
    return [draw.sample(conditions, len(conditions)) for _ in range(blocks)]
