"""A trial of a server: reset, start, contract, warm-up and measured load, settle, stop, audit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Counters
from fairtrial.engine.guard import GRACE_SECONDS
from fairtrial.lab.meters.service import has_processes
from fairtrial.lab.trial.audit import audit_answers, ledger_of_runs
from fairtrial.lab.trial.context import TrialContext, awaited_fault
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.lab.trial.durability import durability_since
from fairtrial.lab.trial.free_ports import occupied_ports, takes_ports, wait_for_ports
from fairtrial.lab.trial.keys_read import keys_read, mark_keys
from fairtrial.lab.trial.offered_load import StackEnded, offer_load
from fairtrial.lab.trial.settle import settle
from fairtrial.lab.trial.state import audit_state
from fairtrial.lab.trial.up import NotUp, UpContender, up
from fairtrial.record.model import Clause, Failure


def run_server(context: TrialContext) -> None:
    """Run a whole trial.

    Raises:
        Problem: the database, the balancer, a proxy or the upstream failed.
    """
    record, service = context.record, context.service
    # Before the stack starts, so that it is not idle between its start and its load.
    if takes_ports(context.condition.load) and (closed := occupied_ports()):
        with context.stage("wait", f"{count(closed, 'closed connection')} to expire"):
            wait_for_ports()
    try:
        with up(context) as contender:
            before, at_bell = _observe(contender)
    except NotUp as error:
        record.failure = error.failure
        return
    if record.engine is not None and service.fault() is None:
        # Databases report what a connection did at the latest when it has ended.
        service.end_sessions()
        record.durability = durability_since(context, contender.commits)
        after = {**service.counters(), **contender.calls()}
        record.ledger = ledger_of_runs(before, after, context.engine_runs, at_bell)
        with context.stage("audit"):
            record.audit = audit_answers(context)


def _observe(contender: UpContender) -> tuple[Counters, Counters]:
    """Try the contract, offer the load, and wait for the database to settle.

    Returns the service's counters before the load, and those when it had ended. What the answers imply has been done by
    then: a stack that owes work cannot do it later, when nobody measures.
    """
    context, deployment = contender.context, contender.deployment
    record, service = context.record, context.service
    record.not_measured = deployment.not_measured
    before: Counters = {}
    at_bell: Counters = {}
    try:
        with context.stage("contract"):
            record.contract.extend(contender.contract())
        context = contender.context
        holds = all(clause.passed for clause in record.contract)
        _assert_front(context, deployment, went_well=holds)
        if holds:
            marked = mark_keys(context)
            before = service.counters()
            with context.stage("load"):
                offer_load(context, deployment)
            at_bell = service.counters()
            record.keys_read = keys_read(context, marked)
            contender.calls()
            erring = record.engine is not None and any(record.engine.errors.values())
            _assert_front(context, deployment, went_well=not erring)
            if context.plan.workload.writes and has_processes(service):
                with context.stage("settle"):
                    writes = service.counters().get("writes")
                    record.settle = settle(service, writes, context.point.experiment.settle_seconds)
            # With the stack still up: what it stores only when it is told to stop was not stored when it said so.
            record.own_audits = audit_state(context)
    except StackEnded:
        pass  # its exit status, which is read when it is stopped, says so
    except Problem as problem:
        record.failure = Failure.of("service" if deployment.fault() else "load", problem)
    return before, at_bell


def _assert_front(context: TrialContext, deployment: Deployment, *, went_well: bool) -> None:
    """Raise a Problem if it did not go well because the balancer, which is before the stack, no longer serves."""
    if not went_well and context.plan.balancer is not None and (fault := awaited_fault(deployment.fault)):
        raise Problem(fault, "this trial was discarded; the next one begins with a new process")


def check_server(contexts: Sequence[TrialContext], begins: Callable[[TrialContext], None]) -> Iterator[Clause]:
    """The contract of a server: what each workload asks, that it stops, and that it changes no row it should not.

    It is started once, with the settings of the first context; what the workloads need is in the same service. A
    workload that writes comes last.

    Raises:
        Problem: it cannot be started, or the state not brought back.
    """
    first = contexts[0]
    service = first.service
    with up(first) as contender:
        altered = ""
        for context in contexts:
            if context.plan.workload.writes and context is not first:
                altered = service.altered()
            begins(context)
            yield from replace(contender, context=context).contract()
    if (stop := first.record.stop) is not None:
        yield Clause(
            name="stops",
            requirement=f"it ends on SIGTERM within {GRACE_SECONDS:.0f} s",
            passed=not stop.forced,
            evidence="it had to be killed" if stop.forced else "",
        )
    if altered or (not contexts[-1].plan.workload.writes and service.altered()):
        yield Clause(name="reads-only", requirement="it changes no row", passed=False, evidence="the data was altered")
