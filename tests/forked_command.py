"""The command `fairtrial` in a process of its own that need not import it: forked from a server that has.

A start of Python that imports the lab takes a second and more of processor time, and the tests start it hundreds of
times. Each process is a real one, with its own arguments, folder, environment and output; `tests/commands` has tests
that start the installed command.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from functools import cache
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path

import dask.config

IMPORTED_ONCE = ["tests.imported_once"]


class Forked:
    """`fairtrial ARGUMENTS` in such a process, without input. Its methods have the names of `subprocess.Popen`'s."""

    def __init__(self, arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        self._arguments = list(arguments)
        pipes = [multiprocessing.Pipe(duplex=False) for _ in range(2)]
        ends = [writes for _, writes in pipes]
        self._process = forks().Process(target=_command, args=(self._arguments, folder, dict(environment), ends))
        self._process.start()
        for end in ends:
            end.close()
        self._readers = ThreadPoolExecutor(len(pipes))
        self._outputs = [self._readers.submit(_all_of, reads) for reads, _ in pipes]

    @property
    def returncode(self) -> int | None:
        """Its exit status, a signal's number below zero; None: it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def wait(self) -> None:
        """Wait for its end."""
        self._process.join()

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait for its end, and return its output.

        Raises:
            subprocess.TimeoutExpired: it took longer, and was killed.
        """
        self._process.join(timeout)
        late = self._process.is_alive()
        if late:
            self.kill()
            self.wait()
        out, err = (output.result() for output in self._outputs)
        self._readers.shutdown()
        if late:
            raise subprocess.TimeoutExpired(self._arguments, timeout or 0.0, out, err)
        return out, err


def _all_of(reads: Connection) -> str:
    with reads, open(reads.fileno(), encoding="utf-8", closefd=False) as file:
        return file.read()


@cache
def forks() -> ForkServerContext:
    """Processes that are forked from one that has imported the lab, which is started with the first of them."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED_ONCE)
    # It looks for what it is to import where it is started (Python 3.11 gives it no path), and passes over what it does
    # not find. It is not started in a test's folder, where nothing may be left running.
    with chdir(Path(__file__).parent.parent):
        forkserver.ensure_running()
    return context


def become(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], outputs: Sequence[int]) -> None:
    """Make of the process at work one that was started so; what it prints goes to these two descriptors."""
    for number, output in enumerate(outputs, start=1):
        os.dup2(output, number)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115 as long as it lives
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # which TMPDIR says anew
    # Dask reads its files and variables when it is imported, which was before.
    named = [environment["DASK_CONFIG"]] if "DASK_CONFIG" in environment else []
    dask.config.refresh(paths=[*dask.config.paths, *named])
    sys.argv = list(arguments)


def _command(arguments: list[str], folder: Path, environment: dict[str, str], outputs: list[Connection]) -> None:
    become(["fairtrial", *arguments], folder, environment, [output.fileno() for output in outputs])
    for output in outputs:
        output.close()
    from fairtrial.commands import main

    main()
