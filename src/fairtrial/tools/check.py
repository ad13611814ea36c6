"""Every clause of a stack's contract, tried and printed."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, NOTHING_RAN
from fairtrial.base.printable import log_tail
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.every_stack import try_contract
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.stacks.build import build_stack
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.catalog.stacks.run import start_stack
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import options_of, pick_workload
from fairtrial.catalog.workloads.model import Workload
from fairtrial.engine.guard import GRACE_SECONDS
from fairtrial.experiment.loads import ClosedLoad, ProgramLoad
from fairtrial.experiment.model import DatasetOptions, Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.judge.checks.ledger import NOUNS
from fairtrial.lab.placement import local_placement
from fairtrial.lab.trial.audit import audit_job
from fairtrial.lab.trial.environment import Point, Surroundings, surroundings
from fairtrial.lab.trial.program_run import do_job
from fairtrial.record.model import Clause

JOB_WITHIN_SECONDS = 120.0

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
        if service_name in pick_workload(workload_name).services
    ]
    if not pairs:
        raise Problem(
            f"workload {workload} is not defined on service {service}",
            "leave one of them out, or see docs/workloads.md for which go together",
        )
    with tempfile.TemporaryDirectory(prefix="fairtrial-check-") as folder:
        logs = Path(folder)
        try:
            console.print(Text(f"preparing the load engine and stack {stack.name} (built once)", style="dim"))
            built = build_stack(stack, installed_versions(stack), logs / "build.log", lambda: None)
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
    workload = pick_workload(workload_name)
    experiment = Experiment(
        name="check",
        title="check",
        workload=workload_name,
        service=service_name,
        cache=next(iter(workload.cache), None),
        stacks=[reference],
        dataset=ROWS,
        load=ClosedLoad() if workload.operations is None else ProgramLoad(),
    )
    options = options_of(workload, {})
    data, placement = workload.data(ROWS, options), local_placement()
    console.print(Text(f"{reference}, workload {workload_name} on {service_name}", style="bold"))
    clauses = []
    silent: tuple[Callable[[str], None], Callable[[int, int], None]] = (lambda _title: None, lambda _rows, _of: None)
    point = Point(experiment, options, data)
    with surroundings(workload, [point], placement, *silent) as around:
        for failure in around.failures.values():
            raise Problem(failure.reason, failure.remedy)
        up = around.service(service_name, point)
        if workload.operations is not None:
            for told in workload.tried_under:
                if told:
                    console.print(Text("  " + ", ".join(f"{name} {value}" for name, value in told.items()), "dim"))
                job = options_of(workload, dict(told))
                for clause in _try_job(stack, reference, built, workload, job, data, around, up, log):
                    _print(console, clause)
                    clauses.append(clause)
                if workload.writes:
                    around.bring_back(up)
            return clauses
        settings, cpus = around.settings(up, workload, options), placement.server_cpus
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
        if not workload.writes and up.altered():
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


def _try_job(
    stack: Stack,
    reference: StackRef,
    built: Path,
    workload: Workload,
    options: object,
    data: Data,
    around: Surroundings,
    up: RunningService,
    log: Path,
) -> Iterator[Clause]:
    """What a program owes: it does its job, and that was counted from outside."""
    done = do_job(
        stack,
        stack.variant(reference),
        built,
        workload=workload,
        options=options,
        settings=around.settings(up, workload, options),
        around=around,
        service=up,
        log=log,
        timeout_seconds=JOB_WITHIN_SECONDS,
    )
    late = f"it ran for {JOB_WITHIN_SECONDS:.0f} s"
    seen = f"it ended with status {done.status}" if done.status is not None else late
    yield Clause(
        name="ends",
        requirement="it does its job and ends with status 0",
        passed=done.status == 0,
        evidence="" if done.status == 0 else f"{seen}: {log_tail(log)}",
    )
    counted = {} if done.ledger is None else done.ledger.done
    for name, each in asdict(workload.work(options)).items():
        least = round(each * done.operations)
        if least and (name in counted or not counted):
            yield Clause(
                name=name.replace("_", "-"),
                requirement=f"{least:,} {NOUNS[name]} are counted",
                passed=counted.get(name, 0) >= least,
                evidence="" if counted.get(name, 0) >= least else f"{counted.get(name, 0):,} were",
            )
    stored = audit_job(workload, data, options, done.operations, up)
    if stored is not None:
        faults = "; ".join(f"{fault.count:,} {fault.kind}, such as {fault.example}" for fault in stored.faults)
        yield Clause(name="stored", requirement="the rows are what it leaves", passed=not faults, evidence=faults)


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
