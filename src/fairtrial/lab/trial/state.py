"""The state of a workload: brought back before a trial, and asked about after its load."""

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fairtrial.base.printable import log_tail, printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.sql_external import redactor
from fairtrial.catalog.services.common.user_files import text_of
from fairtrial.catalog.stacks.environment import users_environment
from fairtrial.catalog.workloads.model import DatabaseState
from fairtrial.engine.guard import Guarded
from fairtrial.experiment.workload_file.secrets import Secrets
from fairtrial.experiment.workload_file.state import AuditEntry, Bound
from fairtrial.lab.trial.context import TrialContext
from fairtrial.record.database import StateAudit
from fairtrial.record.engine_summary import EngineSummary

PROBLEM_CHARACTERS = 500
SHOWN_CHARACTERS = 60
WHOLE = re.compile(r"-?\d{1,18}(\.0+)?", re.ASCII)
"""Sums come with decimals from some databases."""


def reset_state(context: TrialContext) -> None:
    """Bring the state back as the workload file says; before the stack is started, so that it meets what it asks for.

    Raises:
        Problem: the SQL or the command failed, with the end of what it said, or took too long.
    """
    state = context.plan.workload.state
    if state.reset is None:
        return
    hidden = _hidden(context)
    with context.stage("reset"):
        try:
            if state.reset_file is None:
                _run(context, state, state.reset.command or [], state.reset.within_seconds)
            else:
                sql = context.condition.service.sql
                assert sql is not None
                sql.execute(context.service.url, text_of(state.reset_file), state.reset.within_seconds)
        except Problem as problem:
            raise Problem(f"reset: {hidden(problem.reason)}", problem.remedy) from None


def may_differ(context: TrialContext) -> bool:
    """Whether the database may differ from what was loaded: by what was to be done, or as it tells with the stack down.

    What the requests of a workload file, its reset and its migrations change is not known.
    """
    workload, service = context.plan.workload, context.service
    if workload.writes or workload.identity is not None or context.fault() is not None:
        return True
    service.end_sessions()  # what they did is counted then at the latest
    return bool(service.altered())


def audit_state(context: TrialContext) -> list[StateAudit]:
    """The answers to the audits of the workload file now, beside those that they may have."""
    state = context.plan.workload.state
    counted = counted_requests([*context.contract_runs, *context.engine_runs])
    hidden = _hidden(context)
    return [_audited(context, state, name, audit, counted, hidden) for name, audit in state.audits.items()]


def counted_requests(runs: Sequence[EngineSummary]) -> dict[str, Counter[str]]:
    """`acknowledged` and `sent`, each by request, over whole runs of the engine with their warm-up."""
    counted: dict[str, Counter[str]] = {"acknowledged": Counter(), "sent": Counter()}
    for share in (share for run in runs for share in run.mix):
        counted["acknowledged"][share.name] += share.run_verified or 0
        counted["sent"][share.name] += share.run_sent or 0
    return counted


def _audited(
    context: TrialContext,
    state: DatabaseState,
    name: str,
    audit: AuditEntry,
    counted: dict[str, Counter[str]],
    hidden: Callable[[str], str],
) -> StateAudit:
    def number(bound: Bound) -> int:
        return bound if isinstance(bound, int) else counted[bound.which][bound.request]

    value, problem = None, ""
    try:
        value = _audit_value(context, state, audit)
    except Problem as raised:
        problem = printable(hidden(raised.reason), PROBLEM_CHARACTERS)
    low, high = audit.bounds
    return StateAudit(
        name=name,
        value=value,
        problem=problem,
        lowest=number(low),
        highest=number(high),
        lowest_is=str(low),
        highest_is=str(high),
    )


def _audit_value(context: TrialContext, state: DatabaseState, audit: AuditEntry) -> int:
    """The number that an audit answers with.

    Raises:
        Problem: it could not be asked, or answers with something else.
    """
    if audit.sql is None:
        output = _run(context, state, audit.command or [], audit.within_seconds)
        lines = output.split("\n")
        return _whole(lines[-1].strip())
    sql = context.condition.service.sql
    assert sql is not None
    rows = sql.query(context.service.url, audit.sql, audit.within_seconds)
    if len(rows) != 1 or len(rows[0]) != 1:
        shape = "no row" if not rows else "several rows" if len(rows) > 1 else f"{len(rows[0])} columns"
        raise Problem(f"it answers with {shape}, not with one number")
    return _whole(rows[0][0])


def _whole(value: Any) -> int:
    """A database's or a program's number, if it is whole.

    Raises:
        Problem: it is none.
    """
    text = str(int(value)) if isinstance(value, bool) else str(value)
    if not WHOLE.fullmatch(text):
        raise Problem(f"it answers {printable(repr(value), SHOWN_CHARACTERS)}, which is no whole number")
    return int(text.partition(".")[0])


def _run(context: TrialContext, state: DatabaseState, command: Sequence[str], within_seconds: float) -> str:
    """Run a command of the workload file below a guard. Returns the end of what it printed.

    Raises:
        Problem: it cannot be started, failed or took too long; with the end of what it printed.
    """
    url = context.service.url
    environment = users_environment({"DATABASE_URL": url} if url else {})
    with TemporaryDirectory(prefix="fairtrial-state-") as folder:
        log = Path(folder) / "output"
        began = time.monotonic()
        with (
            log.open("wb") as output,
            Guarded(command, folder=state.folder, environment=environment, output=output) as running,
        ):
            ended = running.ends_within(within_seconds)
            status = running.status() if ended else None
        tail = log_tail(log)
    if status == 0:
        return tail
    took = time.monotonic() - began
    how = (
        f"ended with status {status}" if ended else f"did not end within {within_seconds:g} s (ended after {took:.0f})"
    )
    command_line = printable(" ".join(command), SHOWN_CHARACTERS)
    raise Problem(f"{command_line} {how}{':' if tail else ''}\n{tail}".rstrip(), "mend it, or raise `within_seconds`")


def _hidden(context: TrialContext) -> Callable[[str], str]:
    """A redaction that strips a text of the workload's secrets, and of the URL of the database with its password."""
    secrets = Secrets(context.plan.workload.secrets)
    redact = redactor(context.service.url)

    def hidden(text: str) -> str:
        return "\n".join(redact(secrets.hidden(line)) for line in text.split("\n"))

    return hidden
