"""The flow of one trial. What goes wrong ends in the trial's record, with the stage it went wrong in."""

import re
from contextlib import ExitStack
from datetime import UTC, datetime

from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.every_stack import try_contract
from fairtrial.catalog.services.model import Counters
from fairtrial.catalog.workloads.model import ProgramWorkload, ServerWorkload
from fairtrial.lab.placement import bound_to
from fairtrial.lab.trial.audit import audit
from fairtrial.lab.trial.contender import Contender, contender
from fairtrial.lab.trial.context import Attended, Observed, Setting, Trial, TrialWatcher
from fairtrial.lab.trial.free_ports import crowded, takes_ports, wait_for_ports
from fairtrial.lab.trial.ledger import ledger_of_runs
from fairtrial.lab.trial.program_run import run_program
from fairtrial.lab.trial.ready_stack import ReadyStack
from fairtrial.lab.trial.server_run import StackEnded, offer
from fairtrial.lab.trial.settle import settle
from fairtrial.record.model import Failure, TrialRecord


def run_trial(setting: Setting, trial: Trial, ready: ReadyStack, watcher: TrialWatcher) -> TrialRecord:
    """Run one trial on a freshly started stack.

    Whatever the stack or the database does ends in the record. KeyboardInterrupt stops the stack and is raised again.
    """
    name = trial.condition.service
    failure = ready.failure or setting.around.failure(name, setting.point)
    observed = Observed(started_at=now(), failure=failure)
    log = setting.results / "logs" / f"{trial.index:03d}-{file_name(trial.condition.contender)}.log"
    if ready.folder is not None and failure is None:
        try:
            service = setting.around.service(name, setting.point)
            attended = Attended(setting, trial, ready, ready.folder, service, observed, log, watcher)
            with bound_to(setting.placement.load_cpus):
                if isinstance(setting.workload, ProgramWorkload):
                    run_program(attended)
                else:
                    _observe(attended)
            _bring_back(attended)
        except Problem as problem:
            observed.failure = Failure(stage="service", reason=problem.reason, remedy=problem.remedy)
    if log.exists() and log.stat().st_size == 0:
        log.unlink()
    return trial_record(trial, observed, str(log.relative_to(setting.results)) if log.exists() else None)


def file_name(contender: str) -> str:
    """A contender's name as a part of a file's."""
    return re.sub(r"[^A-Za-z0-9._ -]", "-", contender.replace("@", "-on-"))


def _bring_back(attended: Attended) -> None:
    """Every trial begins with the same rows."""
    setting, service, observed = attended.setting, attended.service, attended.observed
    fault = service.fault()
    if fault:
        raise Problem(fault, "the trial is worth nothing; the next one begins with a new one. See what it says above")
    observed.dataset_altered = not setting.workload.writes and service.altered()
    changed = setting.workload.writes or observed.dataset_altered
    setting.around.after_trial(attended.trial.condition.service, changed=changed)


def trial_record(trial: Trial, observed: Observed, log: str | None = None) -> TrialRecord:
    """The record's line for what was observed of `trial`."""
    return TrialRecord(
        index=trial.index,
        block=trial.block,
        condition=trial.condition.id,
        build=trial.build,
        log=log,
        **{name: value for name, value in vars(observed).items() if name not in ("stage_seconds", "runs")},
        stage_seconds={name: round(seconds, 3) for name, seconds in observed.stage_seconds.items()},
    )


def now() -> str:
    """The time as the record writes it: RFC 3339, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _observe(attended: Attended) -> None:
    setting, service, observed = attended.setting, attended.service, attended.observed
    # Before the stack starts: it shall not stand idle between its start and its load.
    if takes_ports(attended.trial.condition.load) and (closed := crowded()):
        with attended.stage("wait"):
            attended.watcher.waiting(f"{count(closed, 'closed connection')} to expire")
            wait_for_ports()
    workload, experiment = setting.workload, setting.experiment
    starting = contender(
        attended.ready,
        attended.folder,
        instances=experiment.instances,
        balancer=experiment.balancer,
        settings=setting.stack_settings(service),
        cpus=setting.placement.server_cpus,
        log=attended.log,
    )
    with ExitStack() as held:
        try:
            with attended.stage("start"):
                running = held.enter_context(starting)
        except Problem as problem:
            observed.failure = Failure(stage="start", reason=problem.reason, remedy=problem.remedy)
            return
        before = _attend(attended, running)
    if observed.engine is not None and service.fault() is None:
        # Databases tell what a connection did at the latest when it has ended.
        observed.ledger = ledger_of_runs(before, service.counters(), observed.runs)
        with attended.stage("audit"):
            observed.audit = audit(workload, setting.data, setting.options, observed.runs, service)


def _attend(attended: Attended, running: Contender) -> Counters:
    """Try the contract, offer the load, wait for the database to settle, stop. Gives the counters before the load."""
    setting, service, observed = attended.setting, attended.service, attended.observed
    workload = setting.workload
    assert isinstance(workload, ServerWorkload)
    before: Counters = {}
    try:
        with attended.stage("contract"):
            clauses = try_contract(running.url, workload.clauses, setting.data, setting.options, running.listening())
            observed.contract.extend(clauses)
        if all(clause.passed for clause in observed.contract):
            before = service.counters()
            with attended.stage("load"):
                offer(attended, running)
            if workload.writes and service.pid is not None:
                with attended.stage("settle"):
                    observed.settle = settle(
                        service, service.counters().get("writes"), setting.experiment.settle_seconds
                    )
    except StackEnded:
        pass  # its exit status, read below, says so
    except Problem as problem:
        observed.failure = Failure(stage="load", reason=problem.reason, remedy=problem.remedy)
    finally:
        with attended.stage("stop"):
            observed.exit_status = running.status()
            observed.stop = running.stop()
    return before
