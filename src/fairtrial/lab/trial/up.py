"""A contender up once: brought up from the state in which trials begin, set up, asked its contract, and stopped."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.every_stack import EVIDENCE_CHARACTERS, try_contract, without_connections
from fairtrial.catalog.services.model import DurabilityReading
from fairtrial.catalog.stacks.run import NotReady
from fairtrial.lab.meters.service import has_processes
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.context import TrialContext, awaited_fault
from fairtrial.lab.trial.deployment import Deployment, deployed
from fairtrial.lab.trial.durability import durability_before
from fairtrial.lab.trial.offered_load import common_headers
from fairtrial.lab.trial.partners import partners_up
from fairtrial.lab.trial.state import reset_state
from fairtrial.record.model import Clause, Failure
from fairtrial.record.processes import Readiness


class NotUp(Problem):
    """A contender could not be brought up; the failure has the stage, and says whether it was the contender's."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason, failure.remedy)
        self.failure = failure


@dataclass
class UpContender:
    """A contender that is up."""

    context: TrialContext
    """once it is set up, with what the setup requests were answered"""
    deployment: Deployment
    commits: DurabilityReading | None
    """what the database told before the start"""
    calls: Callable[[], Mapping[str, int]]
    """ends the upstream, if there is one and it still serves, and gives its account; raises Problem"""

    def set_up(self) -> list[Clause]:
        """Send the setup requests of a workload file: once for each start of the stack, before everything else.

        Returns the clause that their answers are as expected; none where there are no such requests.
        """
        workload = self.context.plan.workload
        if workload.set_up is None:
            return []
        evidence = remedy = ""
        try:
            workload = workload.set_up(self.deployment.client(), self.deployment.host)
            self.context.set_up_secrets.append(workload.secrets)
            self.context = replace(self.context, plan=replace(self.context.plan, workload=workload))
        except Problem as problem:
            evidence, remedy = (printable(each, EVIDENCE_CHARACTERS) for each in (problem.reason, problem.remedy))
        requirement = "the setup requests are answered as the workload file expects"
        passed = not evidence
        return [Clause(name="setup", requirement=requirement, passed=passed, evidence=evidence, remedy=remedy)]

    def contract(self) -> Iterator[Clause]:
        """Set it up, and try the clauses of its contract one after the other, unless that failed."""
        for clause in self.set_up():
            yield clause
            if not clause.passed:
                return
        context, deployment = self.context, self.deployment
        workload, point, record = context.server_workload, context.point, context.record
        stack, over = context.condition.stack, context.condition.load.protocol
        # In a network of its own is nothing but loopback: on whatever address it listens, nobody outside reaches it.
        in_private_network = stack.origin.network == "own"

        def on_first_answer(seconds: float) -> None:
            if record.readiness is not None:
                record.readiness = record.readiness.model_copy(update={"first_answer_seconds": seconds})

        clauses = try_contract(
            deployment.url,
            without_connections(workload.stack_clauses) if over == "HTTP/3" else workload.stack_clauses,
            workload.clauses,
            point.data,
            point.options,
            None if in_private_network else deployment.listening(),
            on_first_answer=on_first_answer,
            on_summary=context.contract_runs.append,
            ready=workload.ready,
            headers=common_headers(context),
            spoken_beside=() if workload.calls_grpc else stack.spoken_beside(context.condition.variant),
            over=over,
            listens_at=context.environment.trial_hosts.host,
            address=deployment.address,
            ca_file=deployment.ca_file,
        )
        hidden = context.redaction.hidden
        for clause in clauses:
            yield clause.with_texts(hidden)

    def assert_contract_again(self) -> None:
        """Set up and try the contract of a stack that keeps it in its trial. Raises Problem: it broke it this time."""
        broken = [clause.name for clause in self.contract() if not clause.passed]
        if broken:
            raise Problem(f"the stack broke its contract when it was started again: {', '.join(broken)}")


@contextmanager
def up(context: TrialContext) -> Iterator[UpContender]:
    """Bring the state back, start proxies, upstream and stack, and stop them at the end, all in their stages.

    How the stack became ready, and how it ended, is put into the trial's record.

    Raises:
        NotUp: the state could not be brought back, or the stack or a partner of it did not start.
        Problem: a proxy or the upstream gives no account at the end, whether the stack started or not.
    """
    record = context.record
    context.environment.touch(context.service)
    try:
        reset_state(context)
    except Problem as problem:
        raise NotUp(Failure.of("reset", problem)) from problem
    commits = durability_before(context)
    with ExitStack() as running:
        try:
            with context.stage("start"):
                calls = running.enter_context(partners_up(context, context.placement.server_cpus))
                deployment = running.enter_context(deployed(context))
                record.readiness = _readiness(deployment)
        except Problem as problem:
            not_up = NotUp(failed_start(context, problem))
        else:
            try:
                yield UpContender(context, deployment, commits, calls)
            finally:
                with context.stage("stop"):
                    record.exit_status = deployment.status()
                    record.stop = deployment.stop()
            return
    raise not_up


def _readiness(deployment: Deployment) -> Readiness:
    """The readings of a stack that has just become ready."""
    meter = TreeMeter(*deployment.roots)
    return Readiness(
        start_up_seconds=deployment.start_up_seconds,
        rss_bytes=meter.sample_memory() or None,
        memory_kind=meter.memory_kind,
    )


def failed_start(context: TrialContext, problem: Problem) -> Failure:
    """The failure that a problem in the stage `start` is, with whose it was.

    It is the contender's where the stack itself did not get ready. A stack whose database has just died ends as well,
    often before the lab knows of the database's end: that is waited for, and is then the failure.
    """
    by_contender = isinstance(problem, NotReady)
    if by_contender:
        have_processes = any(has_processes(server) for _, server in context.services)
        fault = awaited_fault(context.fault) if have_processes else context.fault()
        if fault is not None:
            return Failure(stage="service", reason=fault, remedy="this trial was discarded; see its log above")
    return Failure.of("start", problem, by_contender=by_contender)
