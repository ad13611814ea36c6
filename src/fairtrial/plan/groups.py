"""Groups: the conditions of a block in slices that are up together, where it has more than can be up at once.

Conditions that a claim compares are in one group as long as they fit into one; then what slows the machine for a second
slows the slices of both. More than fit are split, anew for each block. With whom the others are together, and which
group comes first, is drawn for each block, so that what drifts over it falls on no condition in particular.
"""

import random
from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from math import ceil
from typing import TypeVar

from fairtrial.experiment.model import Experiment
from fairtrial.plan.plan import Plan, PlannedCondition

Item = TypeVar("Item", bound=Hashable)


def compared_conditions(experiment: Experiment, conditions: Sequence[PlannedCondition]) -> list[list[PlannedCondition]]:
    """The conditions that each claim compares, and the pair of the noise floor; if there are none, those at each value
    of the sweep."""
    by_name = {each.label: each for each in conditions}
    compared = [[by_name[side] for side in experiment.sides_of(claim)] for claim in experiment.claims]
    compared += [[by_name[each.label.removesuffix(" again")], each] for each in conditions if each.recorded.again]
    if compared or experiment.sweep is None:
        return compared
    return [[each for each in conditions if each.point.value is value] for value in experiment.points]


def in_groups(
    order: Sequence[Item], compared: Sequence[Collection[Item]], most: int, draw: random.Random
) -> list[list[Item]]:
    """The groups of a block, in the order in which they are tried; one of all, if these are no more than `most`.

    Args:
        order: all of the block, as drawn for it; nothing is drawn from `draw` where they are one group.
        compared: those that are to be together, as far as `most` allows.
    """
    if len(order) <= most:
        return [list(order)]
    size = _even_size(len(order), most)
    groups: list[list[Item]] = []
    for together in sorted(_companies(order, compared), key=len, reverse=True):
        part_size = _even_size(len(together), most)
        for start in range(0, len(together), part_size):
            part = together[start : start + part_size]
            roomy = next((group for group in groups if len(group) + len(part) <= size), None)
            if roomy is None:
                groups.append(part)
            else:
                roomy.extend(part)
    draw.shuffle(groups)
    return [[each for each in order if each in group] for group in groups]


def _even_size(number: int, most: int) -> int:
    """The size of the largest part, where so many are split into as few parts as there can be, of sizes as equal."""
    return ceil(number / ceil(number / most))


def _companies(order: Sequence[Item], compared: Sequence[Collection[Item]]) -> list[list[Item]]:
    """All of `order`, split into those that are compared with each other, directly or by way of others."""
    companies = [{each} for each in order]
    for sides in compared:
        sharing = [company for company in companies if not company.isdisjoint(sides)]
        rest = [company for company in companies if company.isdisjoint(sides)]
        companies = [*rest, set().union(*sharing)]
    return [[each for each in order if each in company] for company in companies if company]


def apart_claims(plan: Plan) -> list[str]:
    """The ids of the claims whose sides are not all in one group in every block of the plan in slices."""
    groups: dict[tuple[int, int], set[str]] = defaultdict(set)
    for trial in plan.trials():
        groups[trial.block, trial.group].add(trial.condition.label)
    sides = {claim.id: {*plan.experiment.sides_of(claim)} for claim in plan.experiment.claims}
    return [
        name for name, each in sides.items() if not all(each <= up or each.isdisjoint(up) for up in groups.values())
    ]
