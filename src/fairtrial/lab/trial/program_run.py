"""A trial of a program: it gets its job, does it and ends. It is timed from outside, its start included."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass

from fairtrial.base.printable import log_tail
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.upstream import Upstream
from fairtrial.catalog.stacks.environment import stack_environment
from fairtrial.catalog.stacks.places import places_of
from fairtrial.catalog.stacks.redaction import new_log
from fairtrial.catalog.workloads.model import ProgramWorkload
from fairtrial.engine.guard import Guarded
from fairtrial.judge.checks.ledger import NOUNS, TIMES, least_counted
from fairtrial.lab.meters.machine import MachineWatch
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.lab.meters.service import ServiceMeter, meter_of
from fairtrial.lab.meters.stray_threads import StrayThreadWatch
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.audit import audit_operations, ledger
from fairtrial.lab.trial.background_job import BackgroundJob
from fairtrial.lab.trial.callee import upstream_of_trial
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.maintenance import MaintenanceWatch
from fairtrial.lab.trial.proxies import proxies_before_services
from fairtrial.lab.trial.runner import Runner
from fairtrial.lab.trial.stack_user import tell_whether_held, user_of_trial
from fairtrial.lab.trial.task_evidence import TaskEvidence
from fairtrial.record.machine import MachineMeter, NetworkMeter
from fairtrial.record.maintenance import Maintenance
from fairtrial.record.model import Clause, Failure, ProgramRun, ServerMeter
from fairtrial.record.proof import Ledger
from fairtrial.record.stray_threads import StrayThreads

LOOK_EVERY_SECONDS = 0.2

SAMPLE_EVERY_SECONDS = 0.05
"""A job may be over in less than the quarter of a second that is enough for servers; a look takes some 2 ms of the
lab's processor."""


@dataclass(frozen=True)
class JobOutcome:
    """What is known of a job from outside."""

    operations: int
    """that it was to do"""
    status: int | None
    """the program's exit status; None if it had to be ended"""
    seconds: float
    server: ServerMeter
    service: ServerMeter | None
    service_machine: MachineMeter | None
    """of a service on a host of its own"""
    ledger: Ledger | None
    machine: MachineMeter
    network: NetworkMeter
    maintenance: dict[str, Maintenance]
    """by service"""
    stray_threads: StrayThreads

    def failure(self, context: TrialContext) -> str | None:
        """Why the job counts for nothing, with the end of the program's log; None if it ended with status 0."""
        if self.status == 0:
            return None
        late = f"it still ran after {_timeout_seconds(context):g} s"
        how = late if self.status is None else f"it ended with status {self.status}"
        return f"{how}; the end of its log:\n{log_tail(context.log, context.redaction.hidden)}"


def run_program(context: TrialContext) -> None:
    """Run the program once. What it did is known from what can be counted, not from what the program says.

    Raises:
        Problem: the database, the upstream or a proxy died.
    """
    record = context.record
    with context.stage("load"):
        outcome = do_job(context)
    reason = outcome.failure(context)
    if reason is not None:
        record.failure = Failure(stage="load", reason=reason, remedy=f"see its log: {context.log}")
        return
    record.program = ProgramRun(operations=outcome.operations, seconds=outcome.seconds, exit_status=0)
    record.server, record.service, record.ledger = outcome.server, outcome.service, outcome.ledger
    record.machine, record.network, record.stray_threads = outcome.machine, outcome.network, outcome.stray_threads
    record.service_machine = outcome.service_machine
    record.maintenance = outcome.maintenance
    with context.stage("audit"):
        record.audit = audit_operations(context, outcome.operations)


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
    outcome = do_job(context)
    reason = outcome.failure(context)
    yield Clause(
        name="ends",
        requirement="it does its job and ends with status 0",
        passed=reason is None,
        evidence=reason or "",
    )
    counted = {} if outcome.ledger is None else outcome.ledger.done
    for name, each in asdict(context.plan.workload.work(context.point.options)).items():
        least = round(each * outcome.operations)
        if least and (name in counted or not counted):
            enough = counted.get(name, 0) >= (least_counted(name, least) if name in TIMES else least)
            yield Clause(
                name=name.replace("_", "-"),
                requirement=f"{least:,} {NOUNS[name]} are counted",
                passed=enough,
                evidence="" if enough else f"{counted.get(name, 0):,} were",
            )
    audit = audit_operations(context, outcome.operations)
    if audit is not None:
        faults = "; ".join(f"{fault.count:,} {fault.kind}, such as {fault.example}" for fault in audit.faults)
        yield Clause(name="stored", requirement="the rows are what it leaves", passed=not faults, evidence=faults)
    if not context.plan.workload.writes:
        return True
    return reason is None and audit is not None and audit.stored == 0 and not audit.faults


def do_job(context: TrialContext) -> JobOutcome:
    """Run the program to its end, and count what it did: by the database, by its upstream, at the tasks' barrier.

    Raises:
        Problem: the database died meanwhile, or the upstream or a proxy did not start or gives no account.
    """
    workload, options, service = context.plan.workload, context.point.options, context.service
    assert isinstance(workload, ProgramWorkload)
    placement, condition = context.placement, context.condition
    operations = workload.operations(options)
    counted: dict[str, int] = {}
    stray_threads = StrayThreadWatch(placement.server_cpus)

    with ExitStack() as running:
        partners = _partners(context, workload, running)
        tasks, variable_names = partners.tasks, {*partners.settings, *condition.stack.origin.env_from}
        shared, count = ([], 0) if tasks is None else ([tasks.folder], tasks.count)
        user = running.enter_context(user_of_trial(context, shared, count))
        before = service.counters()
        job = running.enter_context(BackgroundJob(service, workload.background(options)))
        output = running.enter_context(new_log(context.log))
        machine, network = MachineWatch(placement.server_cpus), NetworkWatch()
        maintenance = MaintenanceWatch(server for _, server in context.services)
        maintenance.open()
        machine.open()
        network.open()
        of_service = meter_of(service)
        if of_service is not None:  # before it begins: on a host of its own, its answer is waited for
            _open(of_service, running)
        began = time.monotonic()
        process = Guarded(
            [*condition.stack.run, *condition.variant.args],
            folder=context.folder,
            environment=user.environment(
                stack_environment(partners.settings, condition.stack.origin.env_from), variable_names
            ),
            output=output,
            cpus=placement.server_cpus,
            places=user.seeing(places_of(condition.stack, condition.built_apart, context.folder)),
            user=user.command,
        )
        running.enter_context(process)
        of_program = TreeMeter(
            process.pid, every_seconds=SAMPLE_EVERY_SECONDS, since_start=True, stray_threads=stray_threads
        )
        if tasks is not None:
            tasks.watch(process.pid, of_program)
        _open(of_program, running)
        tell_whether_held(context, process.pid)
        ended = _wait(context, process, began)
        seconds = time.monotonic() - began
        server, whole_machine, network_meter = of_program.close(), machine.close(), network.close()
        service_meter = None if of_service is None else of_service.close(time.monotonic() - began - seconds)
        beside = service_meter if service.pid is not None and not placement.service_cpus else None
        machine_meter = _on_the_servers_side(whole_machine, server, beside)
        maintained = maintenance.close()
        status = process.status() if ended else None
        process.stop()
        counted |= job.stop()
        partners.proxies.close()
        if partners.callee is not None:
            counted["calls"] = partners.callee.served()
        if tasks is not None:
            counted |= tasks.counted()
            seconds -= tasks.held_seconds
        service.end_sessions()
        after = {**service.counters(), **counted}
    work = ledger(before, after, verified=operations, answers=operations)
    return JobOutcome(
        operations,
        status,
        seconds,
        server,
        service_meter,
        None if of_service is None else of_service.machine,
        work,
        machine_meter,
        network_meter,
        maintained,
        stray_threads.result(),
    )


def _open(meter: ServiceMeter, running: ExitStack) -> None:
    running.callback(meter.abandon)
    meter.open()


@dataclass(frozen=True)
class _Partners:
    """What a program works with beside its database, up for one trial."""

    settings: dict[str, str]
    """the program's environment variables"""
    proxies: ExitStack
    """closing it ends the proxies before the services"""
    callee: Upstream | None
    tasks: TaskEvidence | None


def _partners(context: TrialContext, workload: ProgramWorkload, running: ExitStack) -> _Partners:
    """Bring up the proxies, the upstream and the task barrier that the program needs; `running` ends them."""
    proxies = running.enter_context(ExitStack())
    proxies.enter_context(proxies_before_services(context))
    callee = running.enter_context(upstream_of_trial(context, context.lab_cpus))
    settings, tasks = {**context.stack_settings(), "JOB": workload.name}, None
    if workload.barrier_tasks is not None:
        tasks = running.enter_context(TaskEvidence(workload, context.point.options))
        settings |= tasks.settings
    return _Partners(settings, proxies, callee, tasks)


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


def _on_the_servers_side(machine: MachineMeter, server: ServerMeter, service: ServerMeter | None) -> MachineMeter:
    """`machine` with the lab's own processor time divided by what was metered.

    A program that has ended is in the sum of its guard or of the lab, wherever those are bound to.
    """
    lab_seconds = machine.own_server_cpu_seconds + machine.own_load_cpu_seconds
    servers = min(lab_seconds, server.cpu_seconds + (0.0 if service is None else service.cpu_seconds))
    return machine.model_copy(update={"own_server_cpu_seconds": servers, "own_load_cpu_seconds": lab_seconds - servers})


PROGRAM_RUNNER = Runner(run=run_program, check=check_program)
