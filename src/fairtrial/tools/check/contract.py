"""The contracts of stacks, tried start by start and printed as each clause is known."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import on_service
from fairtrial.base.problem import Problem
from fairtrial.base.timed_step import timed_step
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.stacks.folder import find_build
from fairtrial.catalog.stacks.kinds import make_ready
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.catalog.workloads import options_of
from fairtrial.lab.placement import local_placement
from fairtrial.lab.private_network import network_of
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import Environment, trial_environment
from fairtrial.lab.trial.flow import check_contract, new_record
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Clause
from fairtrial.tools.check.attempt import ContractAttempt
from fairtrial.tools.check.output import print_clause, print_verdicts
from fairtrial.tools.check.starts import (
    Start,
    Subject,
    environment_of,
    groups_to_start,
    on_one_service,
    plan_for,
    services_of,
    with_tables_of_all,
)


def check_stacks(console: Console, subjects: Sequence[Subject]) -> int:
    """Try the contracts, print them, and return the exit status.

    Raises:
        Problem: a stack implements no such workload or service, a service cannot be brought up, or a stack cannot be
            built or started; then the others were tried.
    """
    return print_verdicts(console, try_contracts(console, subjects))


def try_contracts(console: Console, subjects: Sequence[Subject]) -> list[ContractAttempt]:
    """Try the contract of each stack for its workloads on their services, and print each clause.

    Stacks that need the same service share it.

    Raises:
        Problem: a stack implements no such workload or service, or a service cannot be brought up.
    """
    planned = [(subject, [plan_for(subject, *pair) for pair in subject.pairs()]) for subject in subjects]
    attempts = [ContractAttempt(str(each.reference), f"stack {each.stack.name}") for each in subjects]
    with tempfile.TemporaryDirectory(prefix="fairtrial-check-") as logs:
        builds = _build_each(console, subjects, Path(logs))
        starts: list[Start] = []
        for number, ((subject, plans), attempt) in enumerate(zip(planned, attempts, strict=True)):
            with attempt.noting_problems():
                built = builds[subject.build_name]
                if isinstance(built, Problem):
                    raise built
                log = Path(logs) / f"run-{number}.log"
                starts += [Start(subject, attempt, built, log, group) for group in groups_to_start(plans)]
        for group in on_one_service(starts):
            _try_on_one_service(console, group)
    return attempts


def _build_each(console: Console, subjects: Sequence[Subject], logs: Path) -> dict[str, Path | Problem]:
    """By the name of each build, its folder, or why there is none. Variants that share a build are built once."""
    sharing: dict[str, list[Subject]] = {}
    for subject in subjects:
        sharing.setdefault(subject.build_name, []).append(subject)
    builds: dict[str, Path | Problem] = {}
    for number, (name, of_build) in enumerate(sharing.items()):
        with timed_step(console, f"preparing the load engine and stack {name} (built once)"):
            try:
                builds[name] = _built(of_build, logs / f"build-{number}.log")
            except Problem as problem:
                builds[name] = problem
    return builds


def _built(subjects: Sequence[Subject], log: Path) -> Path:
    """The folder of the build that these share. A build for more services than are tried keeps the same contract."""
    stack, built_apart = subjects[0].stack, subjects[0].built_apart
    versions = installed_versions(stack, built_apart)
    request = BuildRequest(stack, log, lambda: None, versions=versions, built_apart=built_apart)
    services = services_of([pair for subject in subjects for pair in subject.pairs()])
    return find_build(request) or make_ready(replace(request, services=services)).folder


def _try_on_one_service(console: Console, starts: Sequence[Start]) -> None:
    """Try all starts, one after the other, each on the rows as they were loaded."""
    plan = with_tables_of_all([plan for start in starts for plan in start.plans])
    (condition,) = plan.conditions
    with (
        network_of(plan, [start.subject.stack for start in starts]),
        trial_environment(plan, local_placement()) as services,
    ):
        for failure in services.failures.values():
            raise Problem(failure.reason, failure.remedy, NOTHING_RAN)
        for start in starts:
            if start.attempt.problem is not None:  # it did not come up before
                continue
            service = services.service(condition)
            with start.attempt.noting_problems():
                for clause in _try(console, start, services, service):
                    print_clause(console, clause)
                    start.attempt.clauses.append(clause)
            if start is not starts[-1] and (start.writes or service.altered()):
                services.bring_back(service)


def _try(console: Console, start: Start, services: Environment, service: RunningService) -> Iterator[Clause]:
    """Every clause of the workloads of a start, each as soon as it was tried."""
    reference = start.subject.reference

    def begins(context: TrialContext) -> None:
        starting.close()
        condition, options = context.condition, context.point.options.model_dump(exclude_defaults=True)
        where = f"{reference}, workload {on_service(context.plan.workload.name, condition.service.name)}"
        console.print(Text(f"{where}: {_in_words(options)}" if options else where, style="bold"))

    contexts = [
        _context(start, services, service, plan, options)
        for plan in start.plans
        for options in plan.workload.check_options
    ]
    with ExitStack() as starting:
        starting.enter_context(timed_step(console, f"starting {reference}"))
        yield from check_contract(contexts, begins)


def _context(
    start: Start, services: Environment, service: RunningService, plan: Plan, options: Mapping[str, Any]
) -> TrialContext:
    """The first trial of the plan, under these options of the workload, with the variables of all its workloads."""
    trial = next(plan.trials())
    shared = {} if len(start.plans) == 1 else environment_of(start.plans)
    experiment = trial.condition.point.experiment.model_copy(update={"env": shared})
    point = replace(trial.condition.point, options=options_of(plan.workload, dict(options)), experiment=experiment)
    planned = replace(trial, condition=replace(trial.condition, point=point))
    return TrialContext(plan, planned, start.folder, services, service, new_record(planned), start.log)


def _in_words(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in options.items())
