"""From an experiment to its plan, its conditions and their order: the only place that looks things up by name."""

import math
import random
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

from fairtrial.base.problem import Problem
from fairtrial.catalog.balancers import pick_balancer
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.stacks.find import pick_stack
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.switched import with_switched
from fairtrial.catalog.workloads import options_of, pick_workload
from fairtrial.catalog.workloads.from_file import workload_from_file
from fairtrial.catalog.workloads.model import Workload
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.slices import MOST_TOGETHER, Slices
from fairtrial.experiment.stack_class import PRODUCTION, StackClass
from fairtrial.experiment.value import Value, format_value
from fairtrial.experiment.workload_file.mix import WHOLE_MIX
from fairtrial.experiment.workload_file.read import names_file, read_workload
from fairtrial.judge.statistics.looks import plan_looks
from fairtrial.judge.statistics.planning import MOST_BLOCKS
from fairtrial.plan.audit_draws import draw_crash_audits, draw_hold_audits
from fairtrial.plan.groups import compared_conditions, in_groups
from fairtrial.plan.plan import Plan, PlannedCondition, Point
from fairtrial.plan.validate import assert_sound, why_not_sliceable
from fairtrial.record.model import Condition

Item = TypeVar("Item")

DEFAULT_MINUTES = 10.0
"""For how long at most blocks are added while a claim is undecided, where the experiment does not say. Blocks of half a
minute are then four times as many as before the first look, so that an interval is half as wide; dearer ones have what
the first look takes, as a run of a fixed number has. This project's choice."""

SPARE_SHARE = 0.2
"""Of the blocks of a run of a fixed number, rounded up, so many more are tried where the machine spoiled some. Where it
spoils 2% of all trials, five blocks of two are complete in 98 of 100 runs, twenty in 99.9 (binomial)."""


def make_plan(
    experiment: Experiment,
    stacks: Mapping[str, Stack],
    file: Path | str,
    *,
    may_slice: bool = False,
    workloads: Sequence[Path] = (),
) -> Plan:
    """Resolve every name in the experiment, and hold it against what there is.

    Args:
        stacks: all stacks that there are, by name.
        file: what messages name as the experiment's origin; a workload file is looked for beside it.
        may_slice: whether a plan that adds blocks may choose to measure its conditions in turn.
        workloads: further folders in which a workload file is looked for.

    Raises:
        Problem: a workload, service, stack, variant, check, threshold, metric or request does not exist, or a stack
            does not implement the workload on the service; the reason begins with `file`.
    """
    try:
        workload, stacks = _workload(experiment, Path(file), workloads), with_switched(stacks, experiment)
        plan = _resolve(_with_its_time(experiment), workload, stacks)
        if may_slice and _is_sliced_by_default(plan):
            sliced = plan.experiment.model_copy(update={"slices": Slices(tails=True, gives_way=True)})
            plan = _resolve(sliced, workload, stacks)
        assert_sound(plan, stacks)
    except Problem as problem:
        raise Problem(f"{file}: {problem.reason}", problem.remedy) from problem
    except ValueError as error:
        raise Problem(f"{file}: {error}", "see docs/experiments.md") from error
    return plan


def _workload(experiment: Experiment, origin: Path, workloads: Sequence[Path]) -> Workload:
    workload = experiment.workload
    if isinstance(workload, str) and not names_file(workload):
        return pick_workload(workload)
    return workload_from_file(read_workload(workload, experiment.workload_name, origin, workloads))


def _is_sliced_by_default(plan: Plan) -> bool:
    """Whether its conditions are measured in turn where the choice is the plan's: it adds blocks, and they can be.

    A shape, whose verdict is withheld where others used more beside one point than beside another, is left to whole
    windows unless the experiment asks for slices.
    """
    if not plan.looks or plan.experiment.slices is not None or plan.experiment.whole_windows:
        return False
    if len(plan.conditions) > MOST_TOGETHER:
        return False
    if any(claim.kind == "shape" for claim in plan.experiment.claims):
        return False
    return plan.experiment.why_not_sliced() is None and why_not_sliceable(plan) is None


def _with_its_time(experiment: Experiment) -> Experiment:
    """The experiment with the time for its claims and its `[why]`, where it has any and no fixed number of blocks.

    Raises:
        Problem: it has a time and neither.
    """
    asks = bool(experiment.claims) or experiment.why is not None
    if asks and experiment.blocks is None and experiment.minutes is None:
        return experiment.model_copy(update={"minutes": DEFAULT_MINUTES})
    if experiment.minutes is not None and not asks:
        reason = "minutes: the experiment has no claims, which blocks would be added to decide"
        raise Problem(reason, "set `blocks` in place of it, or write a claim")
    return experiment


def _resolve(experiment: Experiment, workload: Workload, stacks: Mapping[str, Stack]) -> Plan:
    points = {value: _point(experiment, workload, value) for value in experiment.points}
    workload = workload if None not in points else points[None].workload
    references = [(each.stack, points[each.at], False) for each in experiment.condition_refs]
    if experiment.noise_floor:
        references.append((experiment.stacks[0], references[0][1], True))
    conditions = [_condition(reference, stacks, point, again=again) for reference, point, again in references]
    first = experiment.first_blocks
    looks = [] if experiment.minutes is None else plan_looks(first, MOST_BLOCKS)
    spare = 0 if looks else math.ceil(SPARE_SHARE * first)
    order = block_order(conditions, looks[-1] if looks else first + spare, experiment.seed)
    groups = _groups(experiment, conditions, order)
    blocks = [[*chain.from_iterable(block)] for block in groups]
    return Plan(
        experiment=experiment,
        workload=workload,
        points=list(points.values()),
        conditions=conditions,
        cache=None if experiment.cache is None else pick_service(experiment.cache),
        balancer=None if experiment.balancer is None else pick_balancer(experiment.balancer),
        blocks=blocks,
        spare_blocks=spare,
        looks=looks,
        crash_audits=draw_crash_audits(experiment.crash_audit, blocks, first),
        hold_audits=draw_hold_audits(experiment.hold_audit, blocks, first),
        group_sizes=[[*map(len, block)] for block in groups],
    )


def _point(experiment: Experiment, workload: Workload, value: Value | None) -> Point:
    here = experiment.at(value)
    if here.requests != WHOLE_MIX:
        workload = _part(workload, here.requests)
    if workload.websocket is not None:
        load = here.load.model_copy(update={"streams": workload.websocket.in_flight})
        here = here.model_copy(update={"load": load})
    return Point(value, here, workload, options_of(workload, here.options))


def _part(workload: Workload, part: str) -> Workload:
    """The workload with a part of its mix.

    Raises:
        Problem: there is no such part, or the lab itself says what the workload sends.
    """
    if workload.part is None:
        raise Problem(
            f'requests = "{part}": {workload.name} is one of the lab\'s: what its answers must take is known of its '
            "whole mix alone",
            "leave `requests` out; [options] of some workloads set their mix (docs/workloads.md)",
        )
    return workload.part(part)


def _condition(
    reference: StackRef, stacks: Mapping[str, Stack], point: Point, *, again: bool = False
) -> PlannedCondition:
    service = pick_service(point.experiment.service_of(reference))
    stack = pick_stack(stacks, reference)
    variant = stack.variant(reference)
    recorded = recorded_condition(
        point.experiment, reference, point.value, stack_class=stack.class_of(variant), again=again
    )
    return PlannedCondition(recorded, stack, variant, service, point)


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
    part = "" if experiment.requests == WHOLE_MIX else f" ({experiment.requests})"
    parts = [stack.name, stack.variant, experiment.workload_name, service, *at]
    return Condition(
        id="/".join([*parts, "again"] if again else parts),
        stack=stack.name,
        variant=stack.variant,
        workload=f"{experiment.workload_name}{part}",
        service=service,
        stack_class=stack_class,
        load=experiment.load,
        placement=experiment.placement,
        distances=_distances(experiment, service),
        contender=f"{label} again" if again else label,
        at=value,
        again=again,
    )


def _distances(experiment: Experiment, service: str) -> dict[str, str]:
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


def _groups(
    experiment: Experiment, conditions: Sequence[PlannedCondition], order: Sequence[Sequence[PlannedCondition]]
) -> list[list[list[PlannedCondition]]]:
    """Per block, its groups; without slices, the block itself is the only one."""
    if experiment.slices is None:
        return [[[*block]] for block in order]
    draw = random.Random(f"{experiment.seed} groups")  # noqa: S311 (an order, not a secret)
    compared = compared_conditions(experiment, conditions)
    return [in_groups(block, compared, experiment.slices.together, draw) for block in order]
