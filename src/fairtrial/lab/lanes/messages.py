"""The standard streams of a lab on a host: lines that tell it what to do, and messages that are alone on its output.

A message is one JSON object in a line, its `kind` first.
"""

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.cluster.lab import Message
from fairtrial.lab.trial.events import Event, Preparing, RowProgress, StageBegins, Step, TrialBegins

ENDS_WITHIN_SECONDS = 20.0
"""A stack and a database have their times of grace. What is left then, the guards end when this process does."""
END = "end"
"""The line by which all is done, and a lab ends in order."""
STOP = "stop"
"""The line by which a trial under way is given up, as its user wants it."""
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
    if message["kind"] in ("problem", "refused"):
        return Problem(message["reason"], message["remedy"], message["exit_status"])
    return Problem(otherwise, "run the experiment again", NOTHING_RAN)


class MessageWriter:
    """Writes messages."""

    def __init__(self, out: IO[str]) -> None:
        self._out, self._lock, self._tenths = out, threading.Lock(), 0

    def say(self, kind: str, **fields: Any) -> None:
        """Write a message. Where nobody reads any more, the input ends as well."""
        with self._lock, suppress(OSError, ValueError):
            self._out.write(json.dumps({"kind": kind, **fields}) + "\n")
            self._out.flush()

    def problem(self, problem: Problem, kind: str = "problem", **fields: Any) -> None:
        """Say what ended the lab, or why a call is refused."""
        self.say(kind, **fields, reason=problem.reason, remedy=problem.remedy, exit_status=problem.exit_status)

    @contextmanager
    def saying_why(self) -> Iterator[None]:
        """Within, a Problem or an interrupt ends with a message."""
        try:
            yield
        except Problem as problem:
            self.problem(problem)
        except KeyboardInterrupt:
            self.say("interrupted")

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


def read_commands(lines: IO[str]) -> Iterator[str]:
    """The lines up to `END`, which a thread of its own reads from now on.

    At `STOP`, this process is interrupted as by Ctrl-C; so it is where lines end without `END`, and then it is ended.
    """
    commands: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def listen() -> None:
        ends_in_order = False
        for line in lines:
            text = line.rstrip("\n")
            if text == STOP:
                _interrupt()
            elif text == END:
                ends_in_order = True
                commands.put(None)
            elif text:
                commands.put(text)
        if not ends_in_order:
            _interrupt()
            threading.Event().wait(ENDS_WITHIN_SECONDS)
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    return iter(commands.get, None)


def serve_standard_streams(serve: Callable[[IO[str], IO[str]], None]) -> None:
    """Serve standard input and output, of which the second is the messages' alone: all else goes to standard error."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the worker inherited
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    serve(sys.stdin, out)


def _interrupt() -> None:
    with suppress(OSError):
        os.kill(os.getpid(), signal.SIGINT)
