"""The standard streams of a lab on a host: messages that tell it what to do, and messages that are alone on its output.

The end of its input is the end of the lab, whatever it is at: whoever started it is gone, or a connection between them.
"""

import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.cluster.programs import from_line, to_line
from fairtrial.lab.trial.events import Event, TrialBegins
from fairtrial.lab.trial.step_lines import StepLines

ENDS_WITHIN_SECONDS = 20.0
"""A stack and a database have their times of grace. What is left then, the guards end when this process does."""
END = "end"
"""The message by which all is done, and a lab ends in order."""
STOP = "stop"
"""The message by which a trial under way is given up, as its user wants it."""


class Channel:
    """Messages to and from whoever started this lab."""

    def __init__(self, lines: IO[str], out: IO[str]) -> None:
        self._lines, self._out = lines, out
        self._lock, self._steps = threading.Lock(), StepLines()

    @classmethod
    def of_standard_streams(cls) -> "Channel":
        """That of this process. What else is printed goes to standard error from now on."""
        signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the worker inherited
        out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        return cls(sys.stdin, out)

    def receive(self) -> Any:
        """The next message, before `commands`."""
        return from_line(self._lines.readline())

    def commands(self) -> Iterator[Any]:
        """The messages up to `END`, which a thread of its own reads from now on.

        At `STOP`, this process is interrupted as by Ctrl-C; so it is where they end without `END`, and then it is
        ended.
        """
        commands: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def listen() -> None:
            ends_in_order = False
            for line in self._lines:
                message = from_line(line)
                if message == STOP:
                    _interrupt()
                elif message == END:
                    ends_in_order = True
                    commands.put(None)
                else:
                    commands.put(message)
            if not ends_in_order:
                _interrupt()
                threading.Event().wait(ENDS_WITHIN_SECONDS)
                os._exit(1)

        threading.Thread(target=listen, daemon=True).start()
        return iter(commands.get, None)

    def send(self, kind: str, *values: Any) -> None:
        """Write a message. Where nobody reads any more, the input ends as well."""
        line = to_line((kind, *values))
        with self._lock, suppress(OSError, ValueError):
            self._out.write(line + "\n")
            self._out.flush()

    @contextmanager
    def telling_the_end(self, interrupted: str) -> Iterator[None]:
        """Within, a Problem or an interrupt ends with a message.

        Args:
            interrupted: the reason that is told of an interrupt.
        """
        try:
            yield
        except Problem as problem:
            self.send("problem", problem)
        except KeyboardInterrupt:
            self.send("problem", Problem(interrupted, "run the experiment again", NOTHING_RAN))

    def step(self, text: str) -> None:
        """Tell what is done."""
        self.send("step", text)

    def on(self, event: Event) -> None:
        """Tell how the experiment goes on. Nothing is told while a load is measured."""
        if isinstance(event, TrialBegins):
            self.send("begins", event.trial.index)
        elif (step := self._steps.of(event)) is not None:
            self.step(step)


def _interrupt() -> None:
    with suppress(OSError):
        os.kill(os.getpid(), signal.SIGINT)
