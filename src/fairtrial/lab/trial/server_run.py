"""A trial of a server: reset, start, contract, warm-up and measured load, settle, stop, audit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.engine.guard import GRACE_SECONDS
from fairtrial.lab.trial.context import TrialContext, awaited_fault
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.lab.trial.free_ports import occupied_ports, takes_ports, wait_for_ports
from fairtrial.lab.trial.load_accounts import LoadAccounts
from fairtrial.lab.trial.offered_load import StackEnded, offer_load
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
            accounts = _observe(contender)
    except NotUp as error:
        record.failure = error.failure
        return
    if accounts is not None and record.engine is not None and service.fault() is None:
        accounts.conclude()


def _observe(contender: UpContender) -> LoadAccounts | None:
    """Try the contract, offer the load, and wait for the database to settle.

    Returns the accounts of the load; None if it broke its contract.
    """
    context, deployment = contender.context, contender.deployment
    record, accounts = context.record, None
    record.not_measured = deployment.not_measured
    try:
        with context.stage("contract"):
            record.contract.extend(contender.contract())
        context = contender.context
        holds = all(clause.passed for clause in record.contract)
        _assert_front(context, deployment, went_well=holds)
        if holds:
            accounts = LoadAccounts(contender)
            with context.stage("load"):
                offer_load(context, deployment)
            accounts.close()
            erring = record.engine is not None and any(record.engine.errors.values())
            _assert_front(context, deployment, went_well=not erring)
            accounts.settle()
    except StackEnded:
        pass  # its exit status, which is read when it is stopped, says so
    except Problem as problem:
        record.failure = Failure.of("service" if deployment.fault() else "load", problem)
    return accounts


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
            evidence="; ".join(filter(None, ["it had to be killed", stop.why_forced])) if stop.forced else "",
        )
    if altered or (not contexts[-1].plan.workload.writes and service.altered()):
        yield Clause(name="reads-only", requirement="it changes no row", passed=False, evidence="the data was altered")
