"""One run of the engine: it reads a plan and writes events."""

import json
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.engine.events import EngineLines
from fairtrial.engine.kept_bodies import BodyVerdicts
from fairtrial.engine.plan import EnginePlan, Part
from fairtrial.engine.process import EngineStart, HeardLate, start_here
from fairtrial.engine.windows import PartHandler, WindowPart
from fairtrial.experiment.workload_file.secrets import Secrets
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.quoted import hidden_quotes

EventHandler = Callable[[dict[str, Any]], None]
"""Called with each `window` and `progress` event as it arrives."""

WRONG_PLAN = 2
"""The exit status of the engine when it refuses the plan."""
ROWS_RAN_OUT = 3
"""That of one that needed more rows than there are, of those that each request takes once."""
END_WITHIN_SECONDS = 10.0
"""After its summary it has nothing left to do."""


class StopEarly(Exception):
    """Raised by an event handler to end the load early. The summary covers what was measured until then."""


def run_engine(
    plan: EnginePlan,
    on_event: EventHandler,
    *,
    report_when_interrupted: bool = False,
    start: EngineStart = start_here,
    on_part: PartHandler | None = None,
    goes_on: bool = False,
) -> EngineSummary:
    """Offer the plan's load and return the engine's summary. Neither it nor a problem quotes the plan's secrets.

    Bodies that the engine hands on are held against what the plan's requests say of them; those that do not fit count
    as `wrong_body` in the summary.

    KeyboardInterrupt ends the engine and is raised again. With `report_when_interrupted`, it ends the load early, and
    the summary of what was measured until then is returned with `interrupted` true.

    Args:
        start: starts the engine; by default on this machine.
        on_part: is given what the window can be joined with others by; None: the engine is not asked for it.
        goes_on: the engine carries out other plans afterwards, and whoever started it ends it. Where there is no
            summary, it is ended all the same.

    Raises:
        Problem: the engine refused the plan, ran out of rows, ended without a summary, or said nothing any more: it is
            ended then.
    """
    secrets = Secrets(plan.secrets)
    verdicts = BodyVerdicts(plan.requests, may_quote=not plan.setup)

    def corrected(summary: EngineSummary) -> EngineSummary:
        return hidden_quotes(verdicts.applied_to(summary), secrets.hidden)

    def on_each(event: dict[str, Any]) -> None:
        if event["event"] == "body":
            verdicts.add(event)
        elif event["event"] == "part" and on_part is not None:
            on_part(WindowPart(json.dumps(event).encode(), corrected))
        else:
            on_event(event)

    process = start(plan if on_part is None else plan.model_copy(update={"part": Part(number=0, of=1)}))
    events = EngineLines(process.stdout, plan, process.quiet_seconds if isinstance(process, HeardLate) else 0.0)
    summary = None
    try:
        try:
            summary = _summary(events, on_each)
        except KeyboardInterrupt:
            if not report_when_interrupted:
                raise
            process.send_signal(signal.SIGINT)
            summary = _summary(events, on_each)
            if summary is None:
                raise
        except StopEarly:
            process.send_signal(signal.SIGINT)
            summary = _summary(events, verdicts.add_any)
        if summary is None or not goes_on:
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_WITHIN_SECONDS)
    finally:
        if summary is None or not goes_on:
            if process.poll() is None:
                process.kill()
            assert process.stderr and process.stdout
            stderr = secrets.hidden(process.stderr.read().decode(errors="replace").strip())
            process.wait()
            process.stdout.close()
            process.stderr.close()
    if summary is None and process.returncode == WRONG_PLAN:
        raise Problem(f"the load engine refused: {printable(stderr.removeprefix('fairtrial-engine: plan: '))}")
    if summary is None and process.returncode == ROWS_RAN_OUT:
        raise Problem(
            f"the load ended early: {printable(stderr.removeprefix('fairtrial-engine: '))}",
            'give the file more rows, send fewer requests, or take rows again: pick = "sequential"',
        )
    if summary is None:
        raise Problem(
            f"the load engine ended with status {process.returncode}: {stderr or 'it printed no reason'}",
            exit_status=NOTHING_RAN,
        )
    return corrected(summary)


def _summary(lines: EngineLines, on_event: EventHandler) -> EngineSummary | None:
    for line in lines:
        event = json.loads(line)
        if event["event"] == "summary":
            return EngineSummary.of_event(line)
        on_event(event)
    return None
