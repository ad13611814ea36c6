"""Every clause of a stack's contract, tried and printed."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fairtrial.contract.every_stack import try_contract
from fairtrial.engine.guard import GRACE_SECONDS
from fairtrial.exit import ALL_WELL, IN_DOUBT, NOTHING_RAN
from fairtrial.experiment.model import DatasetOptions, StackRef
from fairtrial.placement.cpus import local_placement
from fairtrial.problem import Problem
from fairtrial.record.model import Clause
from fairtrial.services import pick_service
from fairtrial.stacks.build import build_stack
from fairtrial.stacks.model import Stack
from fairtrial.stacks.requirements import found_versions
from fairtrial.stacks.run import start_stack
from fairtrial.stacks.settings import stack_settings
from fairtrial.workloads import options_of, pick_workload

ROWS = DatasetOptions(rows=10_000, seed=1, gaps=0.1)
"""Enough rows that picks vary, with gaps in their ids, loaded in a moment."""


def check_stack(
    console: Console, stack: Stack, reference: StackRef, *, workload: str | None, service: str | None
) -> int:
    """Try the contract for each workload on each service, print it, and return the exit status.

    Raises:
        Problem: the stack implements no such workload or service, or cannot be built or started.
    """
    pairs = [
        (workload_name, service_name)
        for workload_name in _chosen("workload", stack, stack.workloads, workload)
        for service_name in _chosen("service", stack, stack.services, service)
    ]
    with tempfile.TemporaryDirectory(prefix="fairtrial-check-") as folder:
        logs = Path(folder)
        try:
            console.print(Text(f"preparing the load engine and stack {stack.name} (built once)", style="dim"))
            built = build_stack(stack, found_versions(stack), logs / "build.log", lambda: None)
            clauses = [
                clause for pair in pairs for clause in _try(console, stack, reference, built, *pair, logs / "run.log")
            ]
        except Problem as problem:
            raise Problem(f"stack {stack.name}: {problem.reason}", problem.remedy, NOTHING_RAN) from problem
    broken = sum(not clause.passed for clause in clauses)
    verdict = f"{broken} of {len(clauses)} clauses broken" if broken else f"all {len(clauses)} clauses hold"
    console.print(Text(f"{reference}: {verdict}", style="bold red" if broken else "bold green"))
    return IN_DOUBT if broken else ALL_WELL


def _try(
    console: Console,
    stack: Stack,
    reference: StackRef,
    built: Path,
    workload_name: str,
    service_name: str,
    log: Path,
) -> list[Clause]:
    workload, service = pick_workload(workload_name), pick_service(service_name)
    options = options_of(workload, {})
    data = workload.data(ROWS, options)
    cpus = local_placement().server_cpus
    console.print(Text(f"{reference}, workload {workload_name} on {service_name}", style="bold"))
    clauses = []
    with service.up(data.tables, "default", lambda _table, _rows: None) as up:
        settings = stack_settings(up.url, cpus)
        running = start_stack(stack, stack.variant(reference), built, settings=settings, cpus=cpus, log=log)
        try:
            for clause in try_contract(running.url, workload.clauses, data, options, running.listening()):
                clauses.append(clause)
                _print(console, clause)
        finally:
            stop = running.process.stop()
        clauses.append(
            Clause(
                name="stops",
                requirement=f"it ends on SIGTERM within {GRACE_SECONDS:.0f} s",
                passed=not stop.forced,
                evidence="it had to be killed" if stop.forced else "",
            )
        )
        _print(console, clauses[-1])
        if up.altered():
            up.reset()
            clauses.append(
                Clause(
                    name="reads-only",
                    requirement="it changes no row",
                    passed=False,
                    evidence="the data was altered",
                )
            )
            _print(console, clauses[-1])
    return clauses


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
