"""The tasks of labs on other hosts, which they are told before anything else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict
from fairtrial.catalog.services.model import Addresses
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.model import Experiment
from fairtrial.lab.lanes.divide import Lane
from fairtrial.lab.lanes.sources import SentStack, assert_sendable, packed_stack, unpacked_stack
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from fairtrial.record.placement import Placement

BOUND_HERE = "is tried on one machine alone"


class SentPlan(Strict):
    """An experiment, and all that its plan is made of again elsewhere."""

    experiment: Experiment
    file: str
    """what messages name as the experiment's origin"""
    stacks: dict[str, SentStack]
    crash_audits: list[int]
    """which the lab here has drawn, as the next"""
    hold_audits: list[int]
    order: list[list[str]]
    """per block, condition ids: the plan there must be the same"""


@dataclass(frozen=True)
class HostTask:
    """The task of the lab on such a host, which it is told before anything else."""

    addresses: Addresses
    held_cpus: Sequence[int]
    """that no other lab may measure on meanwhile; without those that a lane holds already"""
    wait: bool
    """for a lab that measures there"""
    plan: SentPlan


@dataclass(frozen=True)
class LaneTask:
    """The task of one lane's lab, and where it does it."""

    lane: Lane
    placement: Placement
    lab_cpus: Sequence[int]
    """of the lab itself, during a trial"""
    held_cpus: Mapping[str, Sequence[int]]
    """by worker, those that no other lab may measure on meanwhile; without those that are held already"""
    wait: bool
    """for a lab that measures there; false: the lane is left out"""
    scheduler: str
    unencrypted: bool
    plan: SentPlan


def sent_plan(plan: Plan, file: str) -> SentPlan:
    """A plan as it is sent.

    Raises:
        Problem: something of it is bound to this machine.
    """
    experiment = plan.experiment
    swept = experiment.sweep.parameter if experiment.sweep is not None else ""
    for bound, what in (
        (plan.workload.identity is not None, "a workload of a file"),
        (experiment.placement == "shared" or swept == "placement", 'placement = "shared"'),
        (experiment.reference is not None, "a [reference]"),
    ):
        if bound:
            raise Problem(f"{file}: {what} {BOUND_HERE}", "try it without --cluster", NOTHING_RAN)
    stacks = {stack.name: packed_stack(stack) for stack in plan.stacks}
    assert_sendable(list(stacks.values()))
    return SentPlan(
        experiment=experiment,
        file=file,
        stacks=stacks,
        crash_audits=sorted(plan.crash_audits),
        hold_audits=sorted(plan.hold_audits),
        order=_order(plan),
    )


def plan_of(description: SentPlan) -> Plan:
    """The same plan, made here.

    Raises:
        Problem: it cannot be made, or is another one.
    """
    stacks: dict[str, Stack] = {name: unpacked_stack(each) for name, each in description.stacks.items()}
    plan_here = make_plan(description.experiment, stacks, description.file)
    plan = replace(
        plan_here,
        crash_audits=frozenset(description.crash_audits),
        hold_audits=frozenset(description.hold_audits),
    )
    if _order(plan) != description.order:
        raise Problem(f"{description.file}: another plan was made on the lane's host", "install the same there as here")
    return plan


def _order(plan: Plan) -> list[list[str]]:
    return [[condition.recorded.id for condition in block] for block in plan.blocks]
