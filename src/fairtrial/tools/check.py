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
from fairtrial.catalog.stacks.build import build_stack
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requirements import installed_versions
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
from fairtrial.plan.plan import PlannedTrial
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
            built = build_stack(
                stack,
                installed_versions(stack, built_apart),
                logs / "build.log",
                lambda: None,
                built_apart=built_apart,
                services=services_of(pairs),
            )
            subject = Subject(stack, reference, built, logs / "run.log")
            for workload_name, service_name in pairs:
                console.print(Text(f"{reference}, workload {workload_name} on {service_name}", style="bold"))
                for clause in _check(console, subject, workload_name, service_name):
                    _print(console, clause)
                    clauses.append(clause)
        except Problem as problem:
            raise Problem(f"stack {stack.name}: {problem.reason}", problem.remedy, NOTHING_RAN) from problem
    broken = sum(not clause.passed for clause in clauses)
    verdict = f"{broken} of {len(clauses)} clauses broken" if broken else f"all {len(clauses)} clauses hold"
    console.print(Text(f"{reference}: {verdict}", style="bold red" if broken else "bold green"))
    return IN_DOUBT if broken else ALL_WELL


def services_of(pairs: Collection[tuple[str, str]]) -> set[str]:
    """The services that these workloads and services need, caches included: what the stack is built for."""
    return {service for _, service in pairs} | {cache for name, _ in pairs if (cache := _cache(pick_workload(name)))}


def _cache(workload: Workload) -> str | None:
    """The service beside the database on which a workload is tried; None if it needs none."""
    return None if isinstance(workload, ProgramWorkload) else next(iter(workload.cache), None)


def _check(console: Console, subject: Subject, workload_name: str, service_name: str) -> Iterator[Clause]:
    """Every clause on one workload and service, each as soon as it was tried."""
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
    plan = make_plan(experiment, {subject.stack.name: subject.stack}, "fairtrial check")
    (trial,) = plan.trials()
    with environment(plan, local_placement(), lambda _title: None, lambda _rows, _of: None) as services:
        for failure in services.failures.values():
            raise Problem(failure.reason, failure.remedy)
        for options in workload.check_options if isinstance(workload, ProgramWorkload) else ({},):
            if options:
                console.print(Text(f"  {_in_words(options)}", "dim"))
            context = _context(subject, services, trial, options)
            yield from runner_for(workload).check(context)
            if is_program and workload.writes:
                services.bring_back(context.service)


def _context(subject: Subject, services: Environment, trial: PlannedTrial, options: Mapping[str, Any]) -> TrialContext:
    """The plan's only trial, under other options of the workload."""
    point = replace(trial.condition.point, options=options_of(services.plan.workload, dict(options)))
    planned = replace(trial, condition=replace(trial.condition, point=point))
    return TrialContext(
        plan=services.plan,
        trial=planned,
        folder=subject.folder,
        environment=services,
        service=services.service(trial.condition),
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
