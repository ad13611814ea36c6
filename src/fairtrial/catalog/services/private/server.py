"""A private server's life: started from a copy of ready-made data, awaited, watched, started anew, stopped."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from fairtrial.base.loopback import free_port
from fairtrial.base.printable import log_tail
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.private.folder import give_to_server, unprivileged
from fairtrial.catalog.services.private.no_space import REMEDY, explained
from fairtrial.catalog.services.private.shared_memory import SharedMemory, shared_memory_of
from fairtrial.engine.guard import Guarded

READY_WITHIN_SECONDS = 30.0
CLEAN_END_WITHIN_SECONDS = 120.0
ASK_EVERY_SECONDS = 0.02
LARGE_BYTES = 1 << 20

Command = Callable[[Path, int], list[str]]
"""The server's command, from the folder of its data and the port to listen on."""

IsReady = Callable[[int], bool]
"""Whether it serves on this port; anything but True, exceptions of the client's own kinds included, means not yet."""


class PrivateServer:
    """A server process with data of its own in `folder / "data"`. A context manager: leaving it stops the server.

    Args:
        leftovers: files in the data by which a server says that it runs there; on a copy that is never true.
        end_signal: at which the server ends at once, whoever is connected; what its data become does not matter.

    Attributes:
        port: where it listens, on loopback; the same after `restart`.
    """

    def __init__(
        self,
        title: str,
        folder: Path,
        command: Command,
        is_ready: IsReady,
        cpus: Sequence[int] = (),
        *,
        leftovers: Sequence[str] = (),
        end_signal: signal.Signals = signal.SIGTERM,
    ) -> None:
        self._title, self._folder, self._command, self._is_ready, self._cpus = title, folder, command, is_ready, cpus
        self._leftovers, self._end_signal = leftovers, end_signal
        self._process: Guarded | None = None
        self._memory: list[SharedMemory] = []
        self.port = free_port()

    @property
    def data(self) -> Path:
        """Where its data lie."""
        return self._folder / "data"

    @property
    def pid(self) -> int | None:
        """The guard below which the server's processes lie."""
        return self._process.pid if self._process else None

    def start(self, ready_made: Path | None = None) -> None:
        """Start it, on a copy of the data in `ready_made` if that is given, and return once it serves.

        Raises:
            Problem: it ended, or does not serve in time; with the end of its log.
        """
        if ready_made is not None:
            copy_folder(ready_made, self.data)
            for name in self._leftovers:
                (self.data / name).unlink(missing_ok=True)
            give_to_server(self.data)
        environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self._folder), "LC_ALL": "C.UTF-8"}
        with self._log.open("ab") as output:
            self._process = Guarded(
                unprivileged(self._command(self.data, self.port)),
                folder=self._folder,
                environment=environment,
                output=output,
                cpus=self._cpus,
            )
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        try:
            while not self._is_ready(self.port):
                fault = self.fault()
                if fault:
                    raise Problem(
                        fault, f"look at what it says; is port {self.port} free, is there space in the folder?"
                    )
                if time.monotonic() > deadline:
                    raise Problem(
                        f"{self._title} did not serve within {READY_WITHIN_SECONDS:.0f} s:\n{log_tail(self._log)}",
                        "is the machine busy? run it again",
                    )
                time.sleep(ASK_EVERY_SECONDS)
        except BaseException:
            self.stop()
            raise
        self._memory = [shared_memory_of(process.pid) for process in self._processes(recursive=True)]

    def restart(self, ready_made: Path) -> None:
        """Stop it, take the data in `ready_made` in place of its own, and start it on the same port.

        Raises:
            Problem: as `start`.
        """
        self.stop()
        shutil.rmtree(self.data, ignore_errors=True)
        self.start(ready_made)

    def fault(self) -> str | None:
        """Why it does not run although it was started, or None."""
        status = self._process.status() if self._process else None
        if status is None:
            return None
        how = f"was killed by signal {status - 128}" if status > 128 else f"ended with status {status}"
        return f"{self._title} {how}:\n{log_tail(self._log)}"

    @contextmanager
    def being_filled(self) -> Iterator[None]:
        """What fails within is told with the server's own reason, where that is a full disk.

        Raises:
            Problem: whatever is raised within.
        """
        try:
            yield
        except Problem as problem:
            raise explained(problem, self._log) from None

    def stop(self) -> None:
        """Stop it, if it runs, without regard for its data."""
        if self._process:
            if self._end_signal != signal.SIGTERM:  # which is the guard's own
                self._send(self._end_signal)
            self._process.stop()
            for memory in self._memory:
                memory.remove()
            self._memory = []

    def end_cleanly(self, with_signal: signal.Signals = signal.SIGTERM) -> None:
        """Have it put its data in order and end; they may be copied afterwards.

        Raises:
            Problem: it did not end in two minutes, or not without complaint.
        """
        if self._process is None:
            return
        self._send(with_signal)
        if self._process.wait(CLEAN_END_WITHIN_SECONDS) != 0:
            fault = self.fault() or f"{self._title} does not end"
            self.stop()
            raise Problem(fault, "look at what it says; is there space in the folder?")

    def _send(self, with_signal: signal.Signals) -> None:
        for server in self._processes(recursive=False):
            with suppress(psutil.Error):
                server.send_signal(with_signal)

    def _processes(self, *, recursive: bool) -> list[psutil.Process]:
        """The server, the only child of the guard, and what it started if `recursive`; empty if it has ended."""
        with suppress(psutil.Error):
            return psutil.Process(self.pid).children(recursive=recursive)
        return []

    @property
    def _log(self) -> Path:
        return self._folder / "server.log"

    def __enter__(self) -> "PrivateServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder with everything in it; where the file system can, by reference.

    The large files of the copy are on the disk when this returns: they are not written out while something is measured.
    The small ones come to little, and a thousand of them would take seconds.

    Raises:
        Problem: there is no space, or it cannot be read or written.
    """
    copied = subprocess.run(
        ["cp", "-a", "--reflink=auto", "--", str(source), str(target)], capture_output=True, text=True, check=False
    )
    if copied.returncode != 0:
        shutil.rmtree(target, ignore_errors=True)
        raise Problem(
            f"the data in {source} cannot be copied to {target}: {copied.stderr.strip()[-300:]}",
            REMEDY,
        )
    for path in target.rglob("*"):
        if path.is_file() and path.stat().st_size >= LARGE_BYTES:
            with path.open("rb") as file:
                os.fsync(file.fileno())
