"""The clauses that `fairtrial check` tries on one start of a stack, and which starts share a service."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.tables import Table
from fairtrial.catalog.workloads import pick_workload
from fairtrial.catalog.workloads.model import Workload
from fairtrial.experiment.model import DatasetOptions, Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.load.closed import ClosedLoad
from fairtrial.load.program import ProgramLoad
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from fairtrial.tools.check.attempt import ContractAttempt

Item = TypeVar("Item")

JOB_WITHIN_SECONDS = 120.0

ROWS = DatasetOptions(rows=10_000, seed=1, gaps=0.1)
"""Enough rows that picks vary, with gaps in their ids, loaded in a moment."""


@dataclass(frozen=True)
class Subject:
    """A stack whose contract is tried, and on what."""

    stack: Stack
    reference: StackRef
    workload: str | None = None
    """only this one; None: all that the stack implements"""
    service: str | None = None
    """likewise"""

    @property
    def built_apart(self) -> str | None:
        """The variant, if it has a build of its own; None if it shares the stack's."""
        return self.stack.built_apart(self.reference.variant)

    @property
    def build_name(self) -> str:
        """The build that is tried: `NAME`, or `NAME:VARIANT`."""
        return self.stack.build_name(self.built_apart)

    def pairs(self) -> list[tuple[str, str]]:
        """The workloads, each with a service, for which the contract is tried.

        Raises:
            Problem: the stack implements no such workload or service, or they do not go together.
        """
        if not self.stack.workloads:
            raise Problem(
                f"stack {self.stack.name} names no workload, and so has no contract to check",
                "name `workloads` in its stack.toml, or try it on a workload file: docs/workload-file.md",
            )
        pairs = [
            (workload, service)
            for workload in _choices("workload", self.stack, self.stack.workloads, self.workload)
            for service in _choices("service", self.stack, self.stack.services, self.service)
            if service in pick_workload(workload).services
        ]
        if not pairs:
            raise Problem(
                f"workload {self.workload} is not defined on service {self.service}",
                "leave one of them out, or see docs/workloads.md for which go together",
            )
        return pairs


@dataclass(frozen=True)
class Start:
    """A built stack, and what is tried while it runs once."""

    subject: Subject
    attempt: ContractAttempt
    folder: Path
    """where it was built"""
    log: Path
    plans: Sequence[Plan]

    @property
    def writes(self) -> bool:
        """Whether the rows are others afterwards."""
        return any(plan.workload.writes for plan in self.plans)


def plan_for(subject: Subject, workload_name: str, service_name: str) -> Plan:
    """The plan of one trial of the stack, on this workload and service, with few rows."""
    workload = pick_workload(workload_name)
    is_program = workload.kind == "program"
    experiment = Experiment(
        name="check",
        title="check",
        workload=workload_name,
        service=service_name,
        cache=_cache(workload),
        stacks=[subject.reference],
        blocks=1,
        dataset=ROWS.model_copy(update={"rows": workload.check_rows or ROWS.rows}),
        load=ProgramLoad(timeout_seconds=JOB_WITHIN_SECONDS) if is_program else ClosedLoad(),
    )
    return make_plan(experiment, {subject.stack.name: subject.stack}, "fairtrial check")


def services_of(pairs: Collection[tuple[str, str]]) -> set[str]:
    """The services that these workloads and services need, caches included: what the stack is built for."""
    return {service for _, service in pairs} | {cache for name, _ in pairs if (cache := _cache(pick_workload(name)))}


def groups_to_start(plans: Sequence[Plan]) -> list[list[Plan]]:
    """The plans, in groups that are each tried on one start of the stack.

    Servers alone share a start: those on the same service, of whose workloads no two set one environment variable to
    different values. Of a group at most one makes calls or has a cache; that one comes first, and the stack gets its
    settings. At most one writes; that one comes last, when the others have found the rows as they were loaded. No two
    have different tables of one name.
    """
    in_order = sorted(plans, key=lambda plan: (plan.workload.writes, not _needs_upstream_or_cache(plan)))
    return _grouped(in_order, _may_share)


def on_one_service(starts: Sequence[Start]) -> list[list[Start]]:
    """The starts, in groups that each need one service and one cache, with tables of which no two of a name differ.

    In each, those that write come last: after each of them the service begins anew.
    """
    return _grouped(sorted(starts, key=lambda start: start.writes), _same_service)


def _grouped(items: Sequence[Item], agree: Callable[[Item, Item], bool]) -> list[list[Item]]:
    """The items one after the other in groups: each in the first with all of which it agrees."""
    groups: list[list[Item]] = []
    for item in items:
        group = next((group for group in groups if all(agree(item, other) for other in group)), None)
        if group is None:
            groups.append([item])
        else:
            group.append(item)
    return groups


def with_tables_of_all(plans: Sequence[Plan]) -> Plan:
    """The first plan, its service holding the tables of all."""
    first = plans[0]
    if len(plans) == 1:
        return first
    (point,), (condition,) = first.points, first.conditions
    data = replace(point.data, tables=list(_tables_by_name(plans).values()))
    point = replace(point, workload=replace(point.workload, data=lambda _dataset, _options: data))
    condition = replace(condition, point=point)
    return replace(first, points=[point], conditions=[condition], blocks=[[condition]])


def environment_of(plans: Sequence[Plan]) -> dict[str, str]:
    """The environment variables that the workloads of these plans set."""
    variables: dict[str, str] = {}
    for plan in plans:
        variables |= plan.workload.environment(plan.points[0].options)
    return variables


def _may_share(first: Plan, second: Plan) -> bool:
    if any(plan.workload.kind == "program" for plan in (first, second)):
        return False
    if first.workload.writes and second.workload.writes:
        return False
    if first.conditions[0].service is not second.conditions[0].service:
        return False
    if _needs_upstream_or_cache(first) and _needs_upstream_or_cache(second):
        return False
    ours, theirs = environment_of([first]), environment_of([second])
    if any(ours[variable] != theirs[variable] for variable in ours.keys() & theirs.keys()):
        return False
    return _tables_agree([first], [second])


def _same_service(first: Start, second: Start) -> bool:
    services = [(start.plans[0].conditions[0].service.name, start.plans[0].cache) for start in (first, second)]
    return services[0] == services[1] and _tables_agree(first.plans, second.plans)


def _tables_agree(plans: Sequence[Plan], others: Sequence[Plan]) -> bool:
    ours, theirs = _tables_by_name(plans), _tables_by_name(others)
    return all(ours[name].sha256 == theirs[name].sha256 for name in ours.keys() & theirs.keys())


def _needs_upstream_or_cache(plan: Plan) -> bool:
    """Whether the stack has to be told of an upstream or of a cache."""
    return bool(plan.workload.upstream or plan.cache)


def _tables_by_name(plans: Sequence[Plan]) -> dict[str, Table]:
    return {table.name: table for plan in plans for table in plan.points[0].data.tables}


def _cache(workload: Workload) -> str | None:
    """The service beside the database on which a workload is tried; None if it needs none."""
    return next(iter(workload.cache), None)


def _choices(kind: str, stack: Stack, implemented: Sequence[str], choice: str | None) -> Sequence[str]:
    if choice is None:
        return implemented
    if choice not in implemented:
        raise Problem(
            f"stack {stack.name} does not name {kind} {choice!r}; it has: {', '.join(implemented)}",
            f"add it to `{kind}s` of its stack.toml, or choose another",
        )
    return [choice]
