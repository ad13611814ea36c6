"""The engine's own servers, `target` and `proxy`: below a guard, ready as soon as they say where they listen."""

import json
import os
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import psutil

from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.engine.binary import engine_binary
from fairtrial.engine.guard import Guarded

READY_WITHIN_SECONDS = 10.0
ASK_EVERY_SECONDS = 0.005
TELLS_WITHIN_SECONDS = 2.0
TOLD_EVERY_SECONDS = 0.001
LONGEST_EXCERPT = 300


class EngineServer:
    """A running server of the engine, which gives an account of what it did when it ends."""

    def __init__(self, title: str, address: str, process: Guarded, output: BinaryIO) -> None:
        self.address = address
        """`HOST:PORT`"""
        self._title, self._process, self._output = title, process, output

    @property
    def pid(self) -> int:
        """The guard below which it runs."""
        return self._process.pid

    def so_far(self, event: str) -> dict[str, Any]:
        """The keys of the event of this name, which it writes at a signal while it goes on.

        Raises:
            Problem: it does not within two seconds.
        """
        before = len(_events(self._output, event))
        with suppress(psutil.Error):
            for process in psutil.Process(self.pid).children():
                process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + TELLS_WITHIN_SECONDS
        while len(events := _events(self._output, event)) == before:
            if self._process.status() is not None or time.monotonic() > deadline:
                raise Problem(f"{self._title} does not tell what it did: {_excerpt(self._output)}", "run it again")
            time.sleep(TOLD_EVERY_SECONDS)
        return events[-1]

    def account(self, event: str) -> dict[str, Any]:
        """Stop it, and return the keys of the event of this name, which it writes when it ends.

        Raises:
            Problem: it ended without one.
        """
        self._process.stop()
        accounts = _events(self._output, event)
        if not accounts:
            raise Problem(f"{self._title} ended without an account: {_excerpt(self._output)}", "run it again")
        return accounts[0]


@contextmanager
def engine_server(
    title: str, subcommand: str, arguments: Sequence[str], cpus: Sequence[int] = (), host: str = LOOPBACK
) -> Iterator[EngineServer]:
    """Run `fairtrial-engine SUBCOMMAND` on a free port, and stop it at the end.

    Args:
        title: what messages call it, such as `the upstream`.
        arguments: beside where to listen.
        cpus: the processors to which it is bound; empty: to none.
        host: the address on which it listens.

    Raises:
        Problem: it does not listen within ten seconds.
    """
    command = [str(engine_binary()), subcommand, "--listen", f"{host}:0", *arguments]
    with (
        tempfile.TemporaryFile() as output,
        Guarded(command, folder=Path("/"), environment=os.environ, output=output, cpus=cpus) as process,
    ):
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        # It says where it listens. A connection to try would be an answer, or would be carried on to a service.
        while not (listening := _events(output, "listening")):
            if process.status() is not None or time.monotonic() > deadline:
                raise Problem(f"{title} did not start: {_excerpt(output)}")
            time.sleep(ASK_EVERY_SECONDS)
        yield EngineServer(title, listening[0]["address"], process, output)


def _events(output: BinaryIO, name: str) -> list[dict[str, Any]]:
    """The keys of each event of this name that the engine has written."""
    events = []
    # The last part is empty, or a line that is still being written.
    for line in _text(output).split("\n")[:-1]:
        if line.startswith("{"):
            event: dict[str, Any] = json.loads(line)
            if event.pop("event") == name:
                events.append(event)
    return events


def _excerpt(output: BinaryIO) -> str:
    return printable(_text(output).strip(), LONGEST_EXCERPT) or "it said nothing"


def _text(output: BinaryIO) -> str:
    # Without moving the position, at which the engine writes on.
    return os.pread(output.fileno(), os.fstat(output.fileno()).st_size, 0).decode(errors="replace")
