"""A trial of a program: it gets its job, does it and ends. It is timed from outside, its start included."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass

from fairtrial.base.printable import log_tail
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import stack_environment
from fairtrial.catalog.stacks.places import places_of
from fairtrial.catalog.stacks.redaction import new_log
from fairtrial.catalog.workloads.model import ProgramWorkload
from fairtrial.engine.guard import Guarded
from fairtrial.judge.checks.work import NOUNS, TIMES, least_counted
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.meters.window import Window
from fairtrial.lab.trial.audit import audit_operations, ledger_between
from fairtrial.lab.trial.background_job import BackgroundJob
from fairtrial.lab.trial.commit_log import TrialCommitLog
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.partners import partners_up
from fairtrial.lab.trial.stack_user import tell_whether_held, user_of_trial
from fairtrial.lab.trial.task_evidence import TaskEvidence
from fairtrial.record.model import Clause, Failure, ProgramRun
from fairtrial.record.proof import Ledger

LOOK_EVERY_SECONDS = 0.2

SAMPLE_EVERY_SECONDS = 0.05
"""A job may be over in less than the quarter of a second that is enough for servers; a look takes some 2 ms of the
lab's processor."""


@dataclass(frozen=True)
class Job:
    """A job as it is known from outside."""

    operations: int
    """that it was to do"""
    seconds: float
    ledger: Ledger | None
    failure: str | None
    """why it counts for nothing, with the end of the program's log; None if it ended with status 0"""


def run_program(context: TrialContext) -> None:
    """Run the program once. What it did is known from what can be counted, not from what the program says.

    Raises:
        Problem: the database, the upstream or a proxy died.
    """
    record = context.record
    with context.stage("load"):
        job = do_job(context)
    if job.failure is not None:
        record.failure = Failure(stage="load", reason=job.failure, remedy=f"see its log: {context.log}")
        return
    record.program = ProgramRun(operations=job.operations, seconds=job.seconds, exit_status=0)
    record.ledger = job.ledger
    with context.stage("audit"):
        record.audit = audit_operations(context, job.operations)


def check_program(contexts: Sequence[TrialContext], begins: Callable[[TrialContext], None]) -> Iterator[Clause]:
    """The contract of a program: it does each job, and that is counted from outside.

    Raises:
        Problem: the database or the upstream died.
    """
    as_loaded = True
    for context in contexts:
        if not as_loaded:
            context.environment.bring_back(context.service)
        begins(context)
        as_loaded = yield from _check_job(context)


def _check_job(context: TrialContext) -> Generator[Clause, None, bool]:
    """Returns whether the rows are as they were loaded: of a workload that writes, the audit has seen so."""
    job = do_job(context)
    yield Clause(
        name="ends",
        requirement="it does its job and ends with status 0",
        passed=job.failure is None,
        evidence=job.failure or "",
    )
    counted = {} if job.ledger is None else job.ledger.done
    for name, each in asdict(context.plan.workload.work(context.point.options)).items():
        least = round(each * job.operations)
        if least and (name in counted or not counted):
            enough = counted.get(name, 0) >= (least_counted(name, least) if name in TIMES else least)
            yield Clause(
                name=name.replace("_", "-"),
                requirement=f"{least:,} {NOUNS[name]} are counted",
                passed=enough,
                evidence="" if enough else f"{counted.get(name, 0):,} were",
            )
    audit = audit_operations(context, job.operations)
    if audit is not None:
        faults = "; ".join(f"{fault.count:,} {fault.kind}, such as {fault.example}" for fault in audit.faults)
        yield Clause(name="stored", requirement="the rows are what it leaves", passed=not faults, evidence=faults)
    if not context.plan.workload.writes:
        return True
    return job.failure is None and audit is not None and audit.stored == 0 and not audit.faults


def do_job(context: TrialContext) -> Job:
    """Run the program to its end, and count what it did: by the database, by its upstream, at the tasks' barrier.

    What was metered of it is put into the record, if it ended with status 0.

    Raises:
        Problem: the database died meanwhile, or the upstream or a proxy did not start or gives no account.
    """
    workload, options, service = context.plan.workload, context.point.options, context.service
    assert isinstance(workload, ProgramWorkload)
    stack, variant, cpus = context.condition.stack, context.condition.variant, context.placement.server_cpus
    operations = workload.operations(options)
    context.environment.touch(service)

    with ExitStack() as running:
        partners = running.enter_context(ExitStack())
        calls = partners.enter_context(partners_up(context, context.lab_cpus))
        settings, tasks = {**context.stack_settings(), "JOB": workload.name}, None
        if workload.barrier_tasks is not None:
            tasks = running.enter_context(TaskEvidence(workload, options))
            settings |= tasks.settings
        shared, count = ([], 0) if tasks is None else ([tasks.folder], tasks.count)
        user = running.enter_context(user_of_trial(context, shared, count))
        before, log = service.counters(), TrialCommitLog(context)
        background = running.enter_context(BackgroundJob(service, workload.background(options)))
        output = running.enter_context(new_log(context.log))
        window = Window(cpus, [server for _, server in context.services])
        running.callback(window.abandon)
        window.open()
        began = time.monotonic()
        process = Guarded(
            [*stack.run, *variant.args],
            folder=context.folder,
            environment=user.environment(
                stack_environment(settings, stack.origin.env_from), {*settings, *stack.origin.env_from}
            ),
            output=output,
            cpus=cpus,
            places=user.seeing(places_of(stack, context.condition.built_apart, context.folder)),
            user=user.command,
        )
        running.enter_context(process)
        window.server = TreeMeter(
            process.pid, every_seconds=SAMPLE_EVERY_SECONDS, since_start=True, stray_threads=window.stray_threads
        )
        if tasks is not None:
            tasks.watch(process.pid, window.server)
        window.server.open()
        tell_whether_held(context, process.pid)
        ended = _wait(context, process, began)
        seconds = time.monotonic() - began
        window.close()
        status = process.status() if ended else None  # the kernel forgets then what the program used
        if status == 0:
            window.put_into(context.record)
            _divide_processor_time(context)
        process.stop()
        counted = background.stop()
        partners.close()
        if tasks is not None:
            counted |= tasks.counted()
            seconds -= tasks.held_seconds
        service.end_sessions()
        log.close()
        after = {**service.counters(), **calls(), **counted}
    counters = ledger_between(before, after, verified=operations, answers=operations)
    work = log.put_into(counters, lab_commits=counted.get("background_commits", 0))
    return Job(operations, seconds, work, None if status == 0 else _failure(context, status))


def _failure(context: TrialContext, status: int | None) -> str:
    late = f"it still ran after {_timeout_seconds(context):g} s"
    how = late if status is None else f"it ended with status {status}"
    return f"{how}; the end of its log:\n{log_tail(context.log, context.redaction.hidden)}"


def _wait(context: TrialContext, process: Guarded, began: float) -> bool:
    """Whether the program ended by itself in time.

    Raises:
        Problem: the database died meanwhile.
    """
    timeout_seconds = _timeout_seconds(context)
    ended = False
    while not ended and time.monotonic() - began < timeout_seconds:
        ended = process.ends_within(min(LOOK_EVERY_SECONDS, timeout_seconds))
        fault = context.service.fault()
        if fault is not None:
            raise Problem(fault, "this trial was discarded: a program counts for nothing without its database")
    return ended


def _timeout_seconds(context: TrialContext) -> float:
    load = context.condition.load
    return load.timeout_seconds


def _divide_processor_time(context: TrialContext) -> None:
    """Divide the lab's own processor time by what was metered.

    A program that has ended is in the sum of its guard or of the lab, wherever those are bound to.
    """
    record, machine = context.record, context.record.machine
    assert machine is not None
    is_beside = context.service.pid is not None and not context.placement.service_cpus
    metered = [record.server, record.service if is_beside else None]
    lab_seconds = machine.own_server_cpu_seconds + machine.own_load_cpu_seconds
    servers = min(lab_seconds, sum(meter.cpu_seconds for meter in metered if meter is not None))
    record.machine = machine.model_copy(
        update={"own_server_cpu_seconds": servers, "own_load_cpu_seconds": lab_seconds - servers}
    )
