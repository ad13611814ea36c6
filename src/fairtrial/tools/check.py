"""`fairtrial check`: every clause of a stack's contract, tried and printed."""

import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.stacks.build import build_stack, whole_build
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.catalog.tables import Table
from fairtrial.catalog.workloads import options_of, pick_workload
from fairtrial.catalog.workloads.model import ProgramWorkload, Workload
from fairtrial.experiment.loads import ClosedLoad, ProgramLoad
from fairtrial.experiment.model import DatasetOptions, Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.lab.placement import local_placement
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import Environment, environment
from fairtrial.lab.trial.flow import new_record, runner_for
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Clause

JOB_WITHIN_SECONDS = 120.0

ROWS = DatasetOptions(rows=10_000, seed=1, gaps=0.1)
"""Enough rows that picks vary, with gaps in their ids, loaded in a moment."""


class Silence:
    """A watcher that shows nothing: the clauses are the output."""

    def stage(self, name: str) -> None:
        """Show nothing."""

    def waiting(self, reason: str) -> None:
        """Show nothing."""

    def engine_event(self, event: dict[str, Any]) -> None:
        """Show nothing."""


@dataclass(frozen=True)
class Subject:
    """The stack whose contract is tried, built."""

    stack: Stack
    reference: StackRef
    folder: Path
    log: Path


def check_stack(
    console: Console, stack: Stack, reference: StackRef, *, workload: str | None, service: str | None
) -> int:
    """Try the contract for each workload on each service, print it, and return the exit status.

    Args:
        workload: only this one; None: all that the stack implements.
        service: likewise.

    Raises:
        Problem: the stack implements no such workload or service, or cannot be built or started.
    """
    pairs = [
        (workload_name, service_name)
        for workload_name in _chosen("workload", stack, stack.workloads, workload)
        for service_name in _chosen("service", stack, stack.services, service)
        if service_name in pick_workload(workload_name).services
    ]
    if not pairs:
        raise Problem(
            f"workload {workload} is not defined on service {service}",
            "leave one of them out, or see docs/workloads.md for which go together",
        )
    clauses: list[Clause] = []
    with tempfile.TemporaryDirectory(prefix="fairtrial-check-") as folder:
        logs = Path(folder)
        try:
            built_apart = stack.built_apart(reference.variant)
            name = stack.build_name(built_apart)
            console.print(Text(f"preparing the load engine and stack {name} (built once)", style="dim"))
            versions = installed_versions(stack, built_apart)
            # A build for more services than are tried keeps the same contract.
            built = whole_build(stack, versions, built_apart) or build_stack(
                stack,
                versions,
                logs / "build.log",
                lambda: None,
                built_apart=built_apart,
                services=services_of(pairs),
            )
            subject = Subject(stack, reference, built, logs / "run.log")
            for plans in tried_together([plan_for(subject, *pair) for pair in pairs]):
                for clause in _check(console, subject, plans):
                    _print(console, clause)
                    clauses.append(clause)
        except Problem as problem:
            raise Problem(f"stack {stack.name}: {problem.reason}", problem.remedy, NOTHING_RAN) from problem
    broken = sum(not clause.passed for clause in clauses)
    verdict = f"{broken} of {len(clauses)} clauses broken" if broken else f"all {len(clauses)} clauses hold"
    console.print(Text(f"{reference}: {verdict}", style="bold red" if broken else "bold green"))
    return IN_DOUBT if broken else ALL_WELL


def tried_together(plans: Sequence[Plan]) -> list[list[Plan]]:
    """The plans, in groups that are each tried on one start of the stack and of its service.

    Servers alone share a start: those that write nothing, on the same service, with the same environment variables of
    their workloads. Of a group at most one makes calls and at most one has a cache; that one comes first, and the stack
    gets its settings. No two have different tables of one name.
    """
    groups: list[list[Plan]] = []
    for plan in sorted(plans, key=lambda plan: not _settles_the_start(plan)):
        group = next((group for group in groups if all(_may_share(plan, other) for other in group)), None)
        if group is None:
            groups.append([plan])
        else:
            group.append(plan)
    return groups


def _may_share(one: Plan, other: Plan) -> bool:
    if any(isinstance(plan.workload, ProgramWorkload) or plan.workload.writes for plan in (one, other)):
        return False
    if one.conditions[0].service is not other.conditions[0].service:
        return False
    if _settles_the_start(one) and _settles_the_start(other):
        return False
    if _environment(one) != _environment(other):
        return False
    tables, others = _tables_by_name([one]), _tables_by_name([other])
    return all(tables[name].sha256 == others[name].sha256 for name in tables.keys() & others.keys())


def _settles_the_start(plan: Plan) -> bool:
    """Whether the stack has to be told of an upstream or of a cache."""
    return bool(plan.workload.upstream or plan.cache)


def _environment(plan: Plan) -> Mapping[str, str]:
    (point,) = plan.points
    return plan.workload.environment(point.options)


def _tables_by_name(plans: Sequence[Plan]) -> dict[str, Table]:
    return {table.name: table for plan in plans for table in plan.points[0].data.tables}


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


def services_of(pairs: Collection[tuple[str, str]]) -> set[str]:
    """The services that these workloads and services need, caches included: what the stack is built for."""
    return {service for _, service in pairs} | {cache for name, _ in pairs if (cache := _cache(pick_workload(name)))}


def _cache(workload: Workload) -> str | None:
    """The service beside the database on which a workload is tried; None if it needs none."""
    return None if isinstance(workload, ProgramWorkload) else next(iter(workload.cache), None)


def plan_for(subject: Subject, workload_name: str, service_name: str) -> Plan:
    """The plan of one trial of the stack, on this workload and service, with few rows."""
    workload = pick_workload(workload_name)
    is_program = isinstance(workload, ProgramWorkload)
    experiment = Experiment(
        name="check",
        title="check",
        workload=workload_name,
        service=service_name,
        cache=_cache(workload),
        stacks=[subject.reference],
        blocks=1,
        dataset=ROWS,
        load=ProgramLoad(timeout_seconds=JOB_WITHIN_SECONDS) if is_program else ClosedLoad(),
    )
    return make_plan(experiment, {subject.stack.name: subject.stack}, "fairtrial check")


def _check(console: Console, subject: Subject, plans: Sequence[Plan]) -> Iterator[Clause]:
    """Every clause of workloads that share a start, each as soon as it was tried."""

    def begins(context: TrialContext) -> None:
        condition, options = context.condition, context.point.options.model_dump(exclude_defaults=True)
        where = f"{subject.reference}, workload {context.plan.workload.name} on {condition.service.name}"
        console.print(Text(f"{where}: {_in_words(options)}" if options else where, style="bold"))

    started = with_tables_of_all(plans)
    with environment(started, local_placement(), lambda _title: None, lambda _rows, _of: None) as services:
        for failure in services.failures.values():
            raise Problem(failure.reason, failure.remedy)
        service = services.service(started.conditions[0])
        contexts = [
            _context(subject, services, service, plan, options) for plan in plans for options in _options_tried(plan)
        ]
        yield from runner_for(started.workload).check(contexts, begins)


def _options_tried(plan: Plan) -> Sequence[Mapping[str, Any]]:
    return plan.workload.check_options if isinstance(plan.workload, ProgramWorkload) else ({},)


def _context(
    subject: Subject, services: Environment, service: RunningService, plan: Plan, options: Mapping[str, Any]
) -> TrialContext:
    """The plan's only trial, under these options of the workload."""
    (trial,) = plan.trials()
    point = replace(trial.condition.point, options=options_of(plan.workload, dict(options)))
    planned = replace(trial, condition=replace(trial.condition, point=point))
    return TrialContext(
        plan=plan,
        trial=planned,
        folder=subject.folder,
        environment=services,
        service=service,
        record=new_record(planned),
        log=subject.log,
        watcher=Silence(),
    )


def _in_words(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items())


def _print(console: Console, clause: Clause) -> None:
    mark = ("✓ ", "green") if clause.passed else ("✗ ", "bold red")
    evidence = f": {clause.evidence}" if clause.evidence else ""
    console.print(Text.assemble("  ", mark, f"{clause.name}: {clause.requirement}", (evidence, "red")), soft_wrap=True)


def _chosen(kind: str, stack: Stack, implemented: Sequence[str], wanted: str | None) -> Sequence[str]:
    if wanted is None:
        return implemented
    if wanted not in implemented:
        raise Problem(
            f"stack {stack.name} does not name {kind} {wanted!r}; it has: {', '.join(implemented)}",
            f"add it to `{kind}s` of its stack.toml, or choose another",
        )
    return [wanted]
