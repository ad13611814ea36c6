"""What the lab of a lane says: one JSON object in a line, its `kind` first."""

import json
import threading
from pathlib import Path
from typing import IO, Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.cluster.lab import Message
from fairtrial.lab.trial.events import Event, Preparing, RowProgress, StageBegins, Step, TrialBegins
from fairtrial.record.model import TrialRecord

MOST_LOG_BYTES = 1 << 18
"""Of a stack's log, as it is sent: its end."""
NEWS_OF_ROWS = 10
"""How often the loading of rows is told of."""


def problem_in(message: Message, otherwise: str) -> Problem:
    """Why a lab on a host ended, from the last message that there is of it.

    Args:
        otherwise: the reason where it does not say any: it was interrupted there.
    """
    if message["kind"] == "lost":
        problem: Problem = message["problem"]
        return problem
    if message["kind"] == "problem":
        return Problem(message["reason"], message["remedy"], message["exit_status"])
    return Problem(otherwise, "run the experiment again", NOTHING_RAN)


class Mouth:
    """Says messages."""

    def __init__(self, out: IO[str]) -> None:
        self._out, self._lock, self._tenths = out, threading.Lock(), 0

    def say(self, kind: str, **fields: Any) -> None:
        """Say a message. Where nobody listens any more, the input ends as well."""
        with self._lock:
            try:
                self._out.write(json.dumps({"kind": kind, **fields}) + "\n")
                self._out.flush()
            except (OSError, ValueError):
                return

    def problem(self, problem: Problem) -> None:
        """What ended the lane."""
        self.say("problem", reason=problem.reason, remedy=problem.remedy, exit_status=problem.exit_status)

    def step(self, text: str) -> None:
        """What is done."""
        self.say("step", text=text)

    def on(self, event: Event) -> None:
        """Say how the experiment goes on. Nothing is said while a load is measured."""
        match event:
            case Preparing(what):
                self._tenths = 0
                self.step(f"preparing {what}")
            case Step(text):
                self.step(text)
            case RowProgress(rows, of):
                tenths = rows * NEWS_OF_ROWS // of
                if tenths > self._tenths:
                    self._tenths = tenths
                    self.step(f"loading rows: {rows:,} of {of:,}")
            case TrialBegins(trial):
                self.say("begins", index=trial.index)
            case StageBegins(name, awaited):
                self.say("stage", name=name)
                if awaited:
                    self.step(f"waiting for {awaited}")


def end_of_log(results: Path, record: TrialRecord) -> str:
    """The end of a trial's log; empty if it has none."""
    if record.log is None:
        return ""
    with (results / record.log).open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - MOST_LOG_BYTES))
        return file.read().decode(errors="replace")
