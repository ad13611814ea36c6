"""The flow of one trial. What goes wrong ends in the trial's record, with the stage in which it went wrong."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from secrets import randbelow

from fairtrial.base.problem import Problem
from fairtrial.engine.log_limit import dropped_bytes
from fairtrial.lab.placement import bound_to
from fairtrial.lab.trial.context import TrialContext, awaited_fault
from fairtrial.lab.trial.crash_audit import audit_by_crash
from fairtrial.lab.trial.environment import Environment
from fairtrial.lab.trial.events import Watcher, unwatched
from fairtrial.lab.trial.hold_audit import audit_by_holds, has_hold_audit, without_hold_audit
from fairtrial.lab.trial.program_run import check_program, run_program
from fairtrial.lab.trial.ready_stack import ReadyStack
from fairtrial.lab.trial.server_run import check_server, run_server
from fairtrial.lab.trial.up import NotUp
from fairtrial.plan.plan import PlannedTrial
from fairtrial.record.model import Clause, Failure, TrialRecord
from fairtrial.record.quoted import hidden_quotes


@dataclass(frozen=True)
class Workbench:
    """The tools and places that all trials of a run share."""

    stacks: Mapping[tuple[str, int], ReadyStack]
    """by the name of the build and its number"""
    services: Environment
    results: Path
    """the folder of the run; logs go below it"""
    watcher: Watcher = unwatched

    def context(self, trial: PlannedTrial, record: TrialRecord) -> TrialContext:
        """All that takes part in a trial.

        Raises:
            NotUp: the stack could not be made ready, or its service is not there.
        """
        condition, services = trial.condition, self.services
        ready = self.stacks[condition.build_name, trial.build]
        failure = ready.failure or services.failure(condition)
        if failure is not None:
            raise NotUp(failure)
        assert ready.folder is not None  # as it has no failure
        log = self.results / "logs" / f"{trial.index:03d}-{file_name(condition.label)}.log"
        try:
            service = services.service(condition)
        except Problem as problem:
            raise NotUp(Failure.of("service", problem)) from problem
        plan = replace(services.plan, workload=condition.point.workload)
        return TrialContext(plan, trial, ready.folder, services, service, record, log, self.watcher)


def run_trial(trial: PlannedTrial, workbench: Workbench) -> TrialRecord:
    """Run one trial on a freshly started stack.

    Whatever the stack or the database does ends in the record. KeyboardInterrupt stops the stack and is raised again.
    """
    record, results = new_record(trial), workbench.results
    try:
        context = workbench.context(trial, record)
    except NotUp as error:
        record.failure = error.failure
        return record
    run_audited([context], results, lambda: _run(context))
    return record


def run_audited(contexts: Sequence[TrialContext], results: Path, run: Callable[[], None]) -> None:
    """Run trials, each with the audits that it is drawn for before it or after it: no start tells a stack which of them
    counts. Their logs are kept.

    Args:
        contexts: of trials whose stacks `run` has up together, or of one alone.
        run: is called unless the audits before it failed.
    """
    audits = [_Audits(context, results) for context in contexts]
    try:
        for each in audits:
            each.before()
        if all(context.record.failure is None for context in contexts):
            run()
            for each in audits:
                each.after()
    finally:
        for context in contexts:
            keep_log(context, results)


class _Audits:
    """The crash audit and the hold audit of one trial, which are in none of its figures. Failures are in its record."""

    def __init__(self, context: TrialContext, results: Path) -> None:
        self._context, self._results = context, results
        self._crash_first = context.trial.crash_audit and randbelow(2) == 0
        self._holds_first = _holds_come_first(context)

    def before(self) -> None:
        """Try those that come first."""
        context, record = self._context, self._context.record
        try:
            record.holds = without_hold_audit(context)
            if self._holds_first:
                _hold(context, self._results, is_first=True)
            if self._crash_first:
                _crash(context, self._results)
        except Problem as problem:
            record.failure = Failure.of("service", problem)

    def after(self) -> None:
        """Note what the trial changed, try those that come after it, and restore the rows."""
        context, record = self._context, self._context.record
        try:
            note_alterations(context)
            if record.failure is not None or (record.engine is None and record.program is None):
                record.crash = record.holds = None  # there is nothing that they could say more of
            else:
                if not self._crash_first:
                    _crash(context, self._results)
                if not self._holds_first:
                    _hold(context, self._results)
            restore(context)
        except Problem as problem:
            record.failure = Failure.of("service", problem)


def keep_log(context: TrialContext, results: Path) -> None:
    """Name the stack's log in the record, unless it is empty, and say how much of it was cut off.

    Neither record nor log holds what the stack was told in confidence.
    """
    log, redaction = context.log, context.redaction
    context.record.log_dropped_bytes = dropped_bytes(log)
    _redact_record(context.record, redaction.hidden)
    redaction.redact_log(log)
    if log.exists() and log.stat().st_size == 0:
        log.unlink()
    context.record.log = str(log.relative_to(results)) if log.exists() else None


def check_contract(contexts: Sequence[TrialContext], begins: Callable[[TrialContext], None]) -> Iterator[Clause]:
    """Try a stack's contract alone, clause by clause, without a load, in each of the contexts.

    A server is started once, in the first context, and tried in all.

    Args:
        begins: is called with each context as it begins.

    Raises:
        Problem: the stack cannot be started.
    """
    check = check_program if contexts[0].plan.workload.kind == "program" else check_server
    return check(contexts, begins)


def new_record(trial: PlannedTrial) -> TrialRecord:
    """The record of a trial that begins now."""
    return TrialRecord(
        index=trial.index,
        block=trial.block,
        condition=trial.condition.recorded.id,
        build=trial.build,
        started_at=timestamp(),
    )


def file_name(label: str) -> str:
    """A condition's label as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9._ -]", "-", label.replace("@", "-on-"))


def timestamp() -> str:
    """The time as the record writes it: RFC 3339, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _run(context: TrialContext) -> None:
    """Carry the workload out. Where a proxy or an upstream failed, the rows still have to be restored."""
    run = run_program if context.plan.workload.kind == "program" else run_server
    context.environment.touch(context.service)
    try:
        with bound_to(context.lab_cpus):
            run(context)
    except Problem as problem:
        context.record.failure = Failure.of("service", problem)


def _crash(context: TrialContext, results: Path) -> None:
    """Try the crash audit, if this trial is drawn for it; the log of the start of the stack is kept.

    Raises:
        Problem: the database cannot be brought back.
    """
    with started_again(context, "crash", results) as again:
        context.record.crash = audit_by_crash(context, again)


def _holds_come_first(context: TrialContext) -> bool:
    """Whether the hold audit comes before the trial, as it does in every second block: no stack knows in which.

    Only where one run is all of a load; a search for the capacity has to find a rate before.
    """
    load = context.condition.load
    return has_hold_audit(context) and load.single_run() is load and context.draws_seed % 2 == 0


def _hold(context: TrialContext, results: Path, *, is_first: bool = False) -> None:
    """Try the hold audit, if this trial is drawn for it, and has not come to nothing.

    Raises:
        Problem: the database cannot be brought back.
    """
    record = context.record
    came_to_nothing = record.failure is not None or (record.engine is None and not is_first)
    if has_hold_audit(context) and not came_to_nothing and context.fault() is None:
        with started_again(context, "hold", results) as again:
            record.holds = audit_by_holds(context, again, is_first=is_first)


@contextmanager
def started_again(context: TrialContext, audit: str, results: Path) -> Iterator[TrialContext]:
    """The trial's context for a start of its stack that is in no figure, with a log of its own, which is kept."""
    again = TrialContext(
        context.plan,
        context.trial,
        context.folder,
        context.environment,
        context.service,
        new_record(context.trial),
        context.log.with_name(f"{context.log.stem} {audit}{context.log.suffix}"),
    )
    try:
        yield again
    finally:
        keep_log(again, results)


def note_alterations(context: TrialContext) -> None:
    """Record what of the database differs from what it was, with the stack down and the database up."""
    # What the requests of a workload file, its reset and its migrations change is not known.
    if context.plan.workload.identity is None and context.fault() is None:
        context.service.end_sessions()  # what they did is counted then at the latest
        context.record.altered = context.service.altered(rows=not context.plan.workload.writes)
        context.record.dataset_altered = bool(context.record.altered)


def restore(context: TrialContext) -> None:
    """Every trial begins with the same rows, by what `note_alterations` recorded.

    Raises:
        Problem: the service died in this trial, or its rows cannot be restored.
    """
    writes = context.plan.workload.writes
    failed_at_service = context.record.failure is not None and context.record.failure.stage == "service"
    fault = awaited_fault(context.fault) if failed_at_service else context.fault()
    if fault:
        raise Problem(fault, "this trial was discarded; the server restarts for the next one. See its log above")
    with context.stage("restore"):
        context.environment.after_trial(context.condition, changed=writes or context.record.dataset_altered)


def _redact_record(record: TrialRecord, hidden: Callable[[str], str]) -> None:
    """Strip whatever quotes an answer, a log or a stored row. Names and figures stay as they are.

    Args:
        hidden: strips one text.
    """
    if record.failure is not None:
        reason, remedy = hidden(record.failure.reason), hidden(record.failure.remedy)
        record.failure = record.failure.model_copy(update={"reason": reason, "remedy": remedy})
    record.contract = [clause.with_texts(hidden) for clause in record.contract]
    if record.engine is not None:
        record.engine = hidden_quotes(record.engine, hidden)
    if record.slices is not None and (whole := record.slices.whole_window) is not None:
        whole = whole.model_copy(update={"engine": hidden_quotes(whole.engine, hidden)})
        record.slices = record.slices.model_copy(update={"whole_window": whole})
    if (idle := record.idle_connections) is not None:
        record.idle_connections = idle.with_texts(hidden)
    if record.freshness is not None:
        record.freshness = record.freshness.model_copy(update={"example": hidden(record.freshness.example)})
    if record.row_changes is not None:
        record.row_changes = record.row_changes.model_copy(update={"example": hidden(record.row_changes.example)})
    if record.audit is not None:
        faults = [fault.model_copy(update={"example": hidden(fault.example)}) for fault in record.audit.faults]
        record.audit = record.audit.model_copy(update={"faults": faults})
