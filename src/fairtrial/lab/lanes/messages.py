"""What the lab of a lane says: one JSON object in a line, its `kind` first."""

import json
import threading
from pathlib import Path
from typing import IO, Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.cluster.lab import Message
from fairtrial.lab.preparation import Steps
from fairtrial.plan.plan import PlannedTrial
from fairtrial.record.model import ExperimentRecord, TrialRecord

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
    """Says messages; is a `lab.conduct.Watcher`. Nothing is said while a load is measured."""

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

    def preparing(self, what: str) -> None:
        self._tenths = 0
        self.say("step", text=f"preparing {what}")

    def follow(self, steps: Steps) -> None:
        """Steps are told as they begin and end."""

    def step(self, text: str) -> None:
        self.say("step", text=text)

    def rows_loaded(self, rows: int, of: int) -> None:
        tenths = rows * NEWS_OF_ROWS // of
        if tenths > self._tenths:
            self._tenths = tenths
            self.say("step", text=f"loading rows: {rows:,} of {of:,}")

    def begins(self, experiment: ExperimentRecord) -> None:
        """Told by `ready`."""

    def trial_begins(self, trial: PlannedTrial) -> None:
        self.say("begins", index=trial.index)

    def trial_ends(self, record: TrialRecord) -> None:
        """Told by `trial`."""

    def stage(self, name: str) -> None:
        self.say("stage", name=name)

    def waiting(self, reason: str) -> None:
        self.say("step", text=f"waiting for {reason}")

    def engine_event(self, event: dict[str, Any]) -> None:
        """Say nothing while a load is measured."""

    def close(self) -> None:
        """There is nothing to close."""


def end_of_log(results: Path, record: TrialRecord) -> str:
    """The end of a trial's log; empty if it has none."""
    if record.log is None:
        return ""
    with (results / record.log).open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - MOST_LOG_BYTES))
        return file.read().decode(errors="replace")
