"""Events of an engine, line by line, and never waited for without an end."""

import os
import select
import subprocess
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread
from typing import IO

from fairtrial.base.problem import Problem
from fairtrial.engine.plan import EnginePlan

FIRST_WITHIN_SECONDS = 120.0
"""The engine reads tables and opens connections before it says anything."""
MISSED_EVENTS = 5
SPARE_SECONDS = 5.0
"""Beside the events that are due and what a request may take: for the summary, on a busy machine."""
LOOK_EVERY_SECONDS = 1.0
READ_BYTES = 1 << 16


class EngineSilent(Problem):
    """The engine runs, and says nothing: it hangs, or somebody stopped it."""


def send_plan(process: "subprocess.Popen[bytes]", plan: bytes, *, is_last: bool = True) -> None:
    """Hand a plan to an engine beside whatever comes next: one that was stopped reads nothing, and a pipe fills up."""

    def send() -> None:
        assert process.stdin
        with suppress(OSError, ValueError):  # it has ended, which its output says as well
            process.stdin.write(plan)
            process.stdin.flush()
        if is_last:
            with suppress(OSError):
                process.stdin.close()

    Thread(target=send, name="plan", daemon=True).start()


class EngineLines:
    """The lines that an engine writes, each as soon as it is there.

    Args:
        quiet_seconds: for so long they may be kept elsewhere.

    Raises:
        EngineSilent: none came in time; while it is iterated over.
    """

    def __init__(self, output: IO[bytes] | None, plan: EnginePlan, quiet_seconds: float = 0.0) -> None:
        assert output
        self._descriptor = output.fileno()
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._began = False
        every = plan.progress_every_seconds
        longest_wait = max(plan.timeout_seconds, plan.drain_seconds or 0.0)
        due_seconds = quiet_seconds + MISSED_EVENTS * every + longest_wait
        self._silent_seconds = due_seconds + SPARE_SECONDS if every else None

    def __iter__(self) -> Iterator[bytes]:
        # Whoever stops listening at a line and asks again gets the lines that came with it.
        yield from self._waiting()
        while block := self._block():
            self._began = True
            *lines, self._rest = (self._rest + block).split(b"\n")
            self._lines.extend(lines)
            yield from self._waiting()

    def _waiting(self) -> Iterator[bytes]:
        while self._lines:
            yield self._lines.popleft()

    def _block(self) -> bytes:
        within = self._silent_seconds if self._began else FIRST_WITHIN_SECONDS
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        waited = 0.0
        # Look by look: in a machine that was suspended as a whole, one look is late, and nobody was silent.
        while not poll.poll(LOOK_EVERY_SECONDS * 1e3):
            waited += LOOK_EVERY_SECONDS
            if within is not None and waited >= within:
                raise EngineSilent(
                    f"the load engine has said nothing for {waited:g} s: it hangs, or a process has stopped it",
                    "see that nothing on this machine sends it SIGSTOP, a stack included; then run again",
                )
        return os.read(self._descriptor, READ_BYTES)
