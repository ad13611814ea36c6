"""The crash audit: what was acknowledged has to be there when the database was killed under load.

It comes before or after a drawn trial, as a coin falls, and is in none of its figures. The tables are those of a
trial's start, the stack is started, its contract tried and its load offered as in any trial. At a drawn moment of
warm-up and window the database is killed with all its processes: while requests are under way, since soon after the
last of them PostgreSQL has written what a relaxed commit left behind (its writer wakes every 0.2 s). Most often its
files lie where they do in each trial. In one of `POWER_CUT_IN` it has a disk of its own, where the lab may mount one,
which then loses what was not synced, as in a power cut. The stack is stopped before the database starts again, so that
it cannot make up for what it owes.
"""

import time
from contextlib import nullcontext
from random import SystemRandom
from secrets import randbelow
from threading import Event, Timer
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import CanBeKilled
from fairtrial.engine.run import StopEarly
from fairtrial.lab.placement import bound_to
from fairtrial.lab.trial.audit import audit_answers, audit_operations
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.lab.trial.offered_load import offer_watched_load
from fairtrial.lab.trial.program_run import do_job
from fairtrial.lab.trial.up import up
from fairtrial.record.database import CrashAudit

SHORTEST_SECONDS = 0.3
"""Of the load until the database is killed: enough for some commits."""

AFTERWARDS_SECONDS = 0.1
"""So long the load goes on at least: a stack that answers without a database acknowledges what nobody stores."""

POWER_CUT_IN = 4
"""Of so many audits, one is on a disk of its own, where that can be. A stack can see such a disk, and a commit takes it
a third longer; in the others there is nothing to be seen."""

ANOTHER_DRAWN = "the disk is that of all trials, so that a stack cannot tell this one"
REASON_CHARACTERS = 300


def audit_by_crash(context: TrialContext, again: TrialContext) -> CrashAudit | None:
    """Try the crash audit if this trial is drawn for it; None where nothing is written. The tables are as loaded then.

    Args:
        again: the same for a start of its stack whose record and log are in no figure.

    Raises:
        Problem: the database cannot be brought back.
    """
    workload, service = context.plan.workload, context.service
    if not workload.writes or not context.point.data.tables or service.identity.name == "none":
        return None
    impossible = _why_not(context)
    if impossible:
        return CrashAudit(drawn=False, why_not=impossible)
    if not context.trial.crash_audit:
        asked_for = context.plan.experiment.crash_audit != "none"
        return CrashAudit(drawn=False, why_not="" if asked_for else "the experiment asks for none")
    assert isinstance(service, CanBeKilled)
    no_power_cut = service.why_no_power_cut or ("" if randbelow(POWER_CUT_IN) == 0 else ANOTHER_DRAWN)
    with context.stage("crash"), bound_to(context.lab_cpus):
        if not no_power_cut:
            context.environment.touch(context.service)  # the disk of its own is empty, and so is the other one then
        try:
            with nullcontext() if no_power_cut else service.separate_disk():
                audit = _kill_and_audit(again, service)
            return audit.model_copy(update={"power_cut": not no_power_cut, "why_no_power_cut": no_power_cut})
        except Problem as problem:
            reason = again.redaction.hidden(problem.reason)
            return CrashAudit(drawn=True, why_not=printable(reason, REASON_CHARACTERS))
        finally:
            context.environment.as_loaded(context.service, changed=True)


def _why_not(context: TrialContext) -> str:
    """Why no trial of this condition can have a crash audit, in words; empty if it can."""
    service = context.service
    if context.plan.workload.audit is None:
        return f"rows of {context.plan.workload.name} cannot be told apart by the requests that wrote them"
    if not isinstance(service, CanBeKilled):
        return "the lab does not kill a database that is not its own"
    if service.loses_when_killed:
        return f"not durable: {service.loses_when_killed}"
    if context.condition.stack.origin.runs_already:
        return "a stack that ran already is not the lab's to start again"
    return ""


class _Kill:
    """Kills the database once, by whichever thread calls it, and knows when that was."""

    def __init__(self, service: CanBeKilled) -> None:
        self._service, self.at = service, 0.0
        self._done = Event()
        self._problem: Problem | None = None

    def __call__(self) -> None:
        self.at = time.monotonic()
        try:
            self._service.kill()
        except Problem as problem:
            self._problem = problem
        self._done.set()

    def assert_done(self) -> None:
        """Raises Problem: it has not been killed, or its disk has kept its power."""
        if not self._done.is_set():
            raise Problem("the load ended before the database was to be killed")
        if self._problem is not None:
            raise self._problem


def _kill_and_audit(context: TrialContext, service: CanBeKilled) -> CrashAudit:
    """Raises Problem: the stack did not start or broke its contract this time, or the database does not come back."""
    context.environment.as_loaded(context.service, changed=True)
    kill = _Kill(service)
    operations = None
    if context.plan.workload.kind == "program":
        operations, seconds = _job(context, kill)
    else:
        with up(context) as contender:
            contender.assert_contract_again()
            seconds = _kill_under_load(contender.context, contender.deployment, kill)
    down_at = time.monotonic()
    service.start_again()
    up_at = time.monotonic()
    audit = audit_answers(context) if operations is None else audit_operations(context, operations)
    assert audit is not None  # `_why_not`
    faults = {fault.kind: fault for fault in audit.faults}
    example = next((faults[kind].example for kind in ("missing", "unasked") if kind in faults), "")
    return CrashAudit(
        drawn=True,
        killed_after_seconds=round(seconds, 3),
        down_seconds=round(up_at - down_at, 3),
        audit_seconds=round(time.monotonic() - up_at, 3),
        acknowledged=audit.acknowledged,
        stored=audit.stored,
        lost=faults["missing"].count if "missing" in faults else 0,
        unasked=faults["unasked"].count if "unasked" in faults else 0,
        example=context.redaction.hidden(example),
    )


def _job(context: TrialContext, kill: _Kill) -> tuple[int, float]:
    """Have a program do its job, and kill the database when it has ended. Returns its operations and its seconds."""
    job = do_job(context)
    kill()
    kill.assert_done()
    if job.failure is not None:
        raise Problem(f"the program failed when it was started again: {job.failure}")
    return job.operations, job.seconds


def drawn_moment(latest_seconds: float) -> float:
    """When the database is killed, in seconds after the begin of the load: all that a trial has are equally likely."""
    return SystemRandom().uniform(SHORTEST_SECONDS, max(SHORTEST_SECONDS, latest_seconds))


def _kill_under_load(context: TrialContext, deployment: Deployment, kill: _Kill) -> float:
    """Offer the load, and kill the database meanwhile. Returns the seconds between the load's begin and the kill."""
    load = context.condition.load.single_run()  # of a search, at its lowest rate
    trial_hosts = context.environment.trial_hosts
    # The engine's word of its begin may come so late, and that is when the clock starts; so may its last.
    late = AFTERWARDS_SECONDS + trial_hosts.progress_every_seconds + trial_hosts.events_late_seconds
    moment = drawn_moment(load.planned_seconds - late)
    timer, began_at = Timer(moment, kill), 0.0

    def on_event(_event: dict[str, Any]) -> None:
        nonlocal began_at
        if not began_at:
            began_at = time.monotonic()
            timer.start()
        elif kill.at and time.monotonic() > kill.at + AFTERWARDS_SECONDS:
            raise StopEarly

    try:
        # A load that counts requests, or is too short for the shortest moment, goes on until then.
        offer_watched_load(context, deployment, load, on_event, moment + late)
    finally:
        timer.cancel()
        if began_at:
            timer.join()
    kill.assert_done()
    return kill.at - began_at
