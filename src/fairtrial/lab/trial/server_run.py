"""A trial of a server: reset, start, contract, warm-up and measured load, settle, stop, audit."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.every_stack import try_contract
from fairtrial.catalog.services.model import Counters
from fairtrial.catalog.services.upstream import Upstream
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.guard import GRACE_SECONDS
from fairtrial.lab.meters.service import has_processes
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.audit import audit_answers, ledger_of_runs
from fairtrial.lab.trial.callee import upstream_of_trial
from fairtrial.lab.trial.context import TrialContext, awaited_fault
from fairtrial.lab.trial.deployment import Deployment, deployed, failed_start
from fairtrial.lab.trial.durability import durability_before, durability_since
from fairtrial.lab.trial.free_ports import occupied_ports, takes_ports, wait_for_ports
from fairtrial.lab.trial.keys_read import keys_read, mark_keys
from fairtrial.lab.trial.offered_load import StackEnded, common_headers, offer_load
from fairtrial.lab.trial.proxies import proxies_before_services
from fairtrial.lab.trial.runner import Runner
from fairtrial.lab.trial.settle import settle
from fairtrial.lab.trial.setup import with_setup
from fairtrial.lab.trial.state import audit_state, reset_state
from fairtrial.record.model import Clause, Failure, Readiness


def run_server(context: TrialContext) -> None:
    """Run a whole trial.

    Raises:
        Problem: the database, the balancer, a proxy or the upstream failed.
    """
    record, service, cpus = context.record, context.service, context.placement.server_cpus
    calls: Counters = {}
    # Before the stack starts, so that it is not idle between its start and its load.
    if takes_ports(context.condition.load) and (closed := occupied_ports()):
        with context.stage("wait"):
            context.watcher.waiting(f"{count(closed, 'closed connection')} to expire")
            wait_for_ports()
    try:
        reset_state(context)
    except Problem as problem:
        record.failure = Failure.of("reset", problem)
        return
    commits = durability_before(context)
    with ExitStack() as stack:
        callee: Upstream | None = None
        try:
            with context.stage("start"):
                stack.enter_context(proxies_before_services(context))
                callee = stack.enter_context(upstream_of_trial(context, cpus))
                deployment = stack.enter_context(deployed(context))
                record.readiness = readiness_of(deployment)
        except Problem as problem:
            record.failure = failed_start(context, problem)
            if callee is not None:
                callee.served()  # raises a Problem if the upstream has ended, which is no failure of the stack
            return
        before, marked = _observe(context, deployment)
        if callee is not None:
            calls = {"calls": callee.served()}
    if record.engine is not None and service.fault() is None:
        # Databases report what a connection did at the latest when it has ended.
        service.end_sessions()
        record.durability = durability_since(context, commits)
        record.ledger = ledger_of_runs(before, {**service.counters(), **calls}, context.engine_runs)
        record.keys_read = keys_read(context, marked)
        with context.stage("audit"):
            record.audit = audit_answers(context)


def _observe(context: TrialContext, deployment: Deployment) -> tuple[Counters, Sequence[int]]:
    """Try the contract, offer the load, wait for the database to settle, stop the stack.

    Returns the service's counters before the load, and the keys that were marked as unread then.
    """
    record, service = context.record, context.service
    record.not_measured = deployment.not_measured
    before: Counters = {}
    marked: Sequence[int] = []
    try:
        with context.stage("contract"):
            context, clauses = with_setup(context, deployment)
            record.contract.extend(clauses)
            if all(clause.passed for clause in clauses):
                record.contract.extend(contract_of(context, deployment))
        _assert_front(context, deployment, went_well=all(clause.passed for clause in record.contract))
        if all(clause.passed for clause in record.contract):
            marked = mark_keys(context)
            before = service.counters()
            with context.stage("load"):
                offer_load(context, deployment)
            erring = record.engine is not None and any(record.engine.errors.values())
            _assert_front(context, deployment, went_well=not erring)
            if context.plan.workload.writes and has_processes(service):
                with context.stage("settle"):
                    writes = service.counters().get("writes")
                    record.settle = settle(service, writes, context.point.experiment.settle_seconds)
            # With the stack still up: what it stores only when it is told to stop was not stored when it said so.
            record.own_audits = audit_state(context)
    except StackEnded:
        pass  # its exit status, read below, says so
    except Problem as problem:
        record.failure = Failure.of("service" if deployment.fault() else "load", problem)
    finally:
        with context.stage("stop"):
            record.exit_status = deployment.status()
            record.stop = deployment.stop()
    return before, marked


def _assert_front(context: TrialContext, deployment: Deployment, *, went_well: bool) -> None:
    """Raise a Problem if it did not go well because the balancer, which is before the stack, no longer serves."""
    if not went_well and context.plan.balancer is not None and (fault := awaited_fault(deployment.fault)):
        raise Problem(fault, "this trial was discarded; the next one begins with a new process")


def readiness_of(deployment: Deployment) -> Readiness:
    """What is known of a stack that has just become ready."""
    meter = TreeMeter(*deployment.roots)
    return Readiness(
        start_up_seconds=deployment.start_up_seconds,
        rss_bytes=meter.sample_memory() or None,
        memory_kind=meter.memory_kind,
    )


def contract_of(context: TrialContext, deployment: Deployment) -> Iterator[Clause]:
    """Try the clauses of a trial's contract, one after the other."""
    workload, point, record = context.plan.workload, context.point, context.record
    load = context.condition.load
    assert isinstance(workload, ServerWorkload)
    # In a network of its own there is nothing but loopback: on whatever address it listens, nobody outside reaches it.
    in_private_network = context.condition.stack.origin.network == "own"

    def on_first_answer(seconds: float) -> None:
        if record.readiness is not None:
            record.readiness = record.readiness.model_copy(update={"first_answer_seconds": seconds})

    clauses = try_contract(
        deployment.url,
        workload.stack_clauses,
        workload.clauses,
        point.data,
        point.options,
        None if in_private_network else deployment.listening(),
        on_first_answer=on_first_answer,
        on_summary=context.contract_runs.append,
        ready=workload.ready,
        headers=common_headers(context),
        speaks_http2=context.condition.stack.speaks_http2(context.condition.variant),
        http2=load.http2,
        listens_at=context.environment.site.host,
    )
    hidden = context.redaction.hidden
    for clause in clauses:
        yield clause.model_copy(update={"evidence": hidden(clause.evidence)})


def check_server(contexts: Sequence[TrialContext], begins: Callable[[TrialContext], None]) -> Iterator[Clause]:
    """The contract of a server: what each workload asks, that it stops, and that it changes no row it should not.

    It is started once, with the settings of the first context; what the workloads need is in the same service. A
    workload that writes comes last.

    Raises:
        Problem: it cannot be started, or the state not brought back.
    """
    first = contexts[0]
    service, cpus = first.service, first.placement.server_cpus
    reset_state(first)
    with proxies_before_services(first), upstream_of_trial(first, cpus), deployed(first) as deployment:
        altered = False
        for context in contexts:
            if context.plan.workload.writes and context is not first:
                altered = service.altered()
            begins(context)
            as_set_up, clauses = with_setup(context, deployment)
            yield from clauses
            if all(clause.passed for clause in clauses):
                yield from contract_of(as_set_up, deployment)
        stop = deployment.stop()
    if stop is not None:
        yield Clause(
            name="stops",
            requirement=f"it ends on SIGTERM within {GRACE_SECONDS:.0f} s",
            passed=not stop.forced,
            evidence="it had to be killed" if stop.forced else "",
        )
    if altered or (not contexts[-1].plan.workload.writes and service.altered()):
        yield Clause(name="reads-only", requirement="it changes no row", passed=False, evidence="the data was altered")


SERVER_RUNNER = Runner(run=run_server, check=check_server)
