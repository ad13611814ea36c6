"""The process of a private server: started on a copy of loaded data, awaited, watched, restarted, stopped."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from fairtrial.base.loopback import LOOPBACK, free_port, holder, is_free
from fairtrial.base.printable import log_tail, printable_end
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.folder import give_to_server, unprivileged
from fairtrial.catalog.services.common.full_disk import FREE_SPACE, with_full_disk
from fairtrial.catalog.services.common.power import Disk, disk
from fairtrial.catalog.services.common.shared_memory import SharedMemory, shared_memory_of
from fairtrial.catalog.services.common.stopped import StoppedWatch
from fairtrial.engine.guard import Guarded
from fairtrial.engine.hold import hold

READY_WITHIN_SECONDS = 30.0
CLEAN_END_WITHIN_SECONDS = 120.0
ASK_EVERY_SECONDS = 0.02
LARGE_BYTES = 1 << 20

Command = Callable[[Path, int], list[str]]
"""Gives the server's command, from the folder of its data and the port to listen on."""

IsReady = Callable[[int], bool]
"""Whether the server on this port answers; False means not yet."""


class PrivateServer:
    """A server process with data of its own in `folder / "data"`. A context manager: leaving it stops the server.

    Args:
        title: of the server, for messages.
        folder: where it runs; owned by the server's user.
        cpus: the processors it is confined to; empty: all.
        port: where it listens; None: a free one.
        host: the IPv4 address at which it listens.
        leftovers: files in the data by which a server says that it runs there; never true of a copy.
        end_signal: at which the server ends at once, whoever is connected, without regard for its data.

    Attributes:
        host, port: where it listens; the same after `restart`.
    """

    def __init__(
        self,
        title: str,
        folder: Path,
        command: Command,
        is_ready: IsReady,
        cpus: Sequence[int] = (),
        *,
        port: int | None = None,
        host: str = LOOPBACK,
        leftovers: Sequence[str] = (),
        end_signal: signal.Signals = signal.SIGTERM,
    ) -> None:
        self._title, self._folder, self._command, self._is_ready, self._cpus = title, folder, command, is_ready, cpus
        self._leftovers, self._end_signal = leftovers, end_signal
        self._process: Guarded | None = None
        self._disk: Disk | None = None
        self._memory: list[SharedMemory] = []
        self._watch: StoppedWatch | None = None
        self._was_stopped = False
        self.host = host
        self._is_fixed, self.port = port is not None, port or free_port(host)

    @property
    def data(self) -> Path:
        """The folder of its data."""
        return self._folder / "data"

    @property
    def pid(self) -> int | None:
        """The guard below which the server's processes run; None before the first start."""
        return self._process.pid if self._process else None

    def start(self, loaded: Path | None = None, is_ready: IsReady | None = None) -> None:
        """Start it, on a copy of the data in the folder `loaded` if that is given, and return once it serves.

        Args:
            is_ready: whether it does; None: as it was told when this was made.

        Raises:
            Problem: its port is held by another, it ended, or does not serve in time; with the end of its log.
        """
        if self._is_fixed and not is_free(self.port):
            raise Problem(
                f"{self._title} is to listen on port {self.port}, which {holder(self.port)} holds",
                'end that, or give the contenders a network of their own: network = "own"',
            )
        if loaded is not None:
            copy_folder(loaded, self.data)
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
        self._was_stopped = False
        self._watch = StoppedWatch(self._process.pid, self._tell_stopped)
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        try:
            while not (is_ready or self._is_ready)(self.port):
                fault = self.fault()
                if fault:
                    raise Problem(fault, f"see its log above; is port {self.port} free, is there space in the folder?")
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

    def restart(self, loaded: Path | None = None) -> None:
        """Stop it, remove its data, and start it on the same port, on a copy of the data in `loaded` if that is given.

        Raises:
            Problem: as `start`.
        """
        self.stop()
        shutil.rmtree(self.data, ignore_errors=True)
        self.start(loaded)

    def fault(self) -> str | None:
        """How it ended, with the end of its log; None while it runs, and before the first start."""
        status = self._process.status() if self._process else None
        if status is None:
            return None
        how = f"was killed by signal {status - 128}" if status > 128 else f"ended with status {status}"
        if status < 0:
            how = f"was killed with the guard above it, which signal {-status} ended"
        if self._was_stopped:
            how = "was stopped (SIGSTOP) by another process, so that the lab killed it"
        tail = log_tail(self._log)
        return f"{self._title} {how}:\n{tail}" if tail else f"{self._title} {how}; it logged nothing"

    @contextmanager
    def naming_full_disk(self) -> Iterator[None]:
        """Add a full disk as the cause to a Problem that is raised within, if the server's log reports one.

        Raises:
            Problem: as raised within.
        """
        try:
            yield
        except Problem as problem:
            raise with_full_disk(problem, self._log) from None

    def _tell_stopped(self) -> None:
        self._was_stopped = True

    def stop(self) -> None:
        """Stop it if it runs, without regard for its data."""
        if self._watch:
            self._watch.end()
            self._watch = None
        if self._process:
            if self._end_signal != signal.SIGTERM:  # which the guard sends by itself
                self._send(self._end_signal)
            self._end_guard()

    def _end_guard(self) -> None:
        if self._process:
            self._process.stop()
        for memory in self._memory:
            memory.remove()
        self._memory = []

    @contextmanager
    def separate_disk(self, size_bytes: int) -> Iterator[None]:
        """Within it, the data lie on a disk whose power fails when the server is killed.

        The server is stopped before and after, and has to be restarted in both cases.

        Raises:
            Problem: there is no such disk here.
        """
        self.stop()
        shutil.rmtree(self.data, ignore_errors=True)
        try:
            with disk(self.data, self._folder / "disk.image", size_bytes) as self._disk:
                try:
                    yield
                finally:
                    self.stop()
                    self._process = None  # nobody is to take it for one that died
        finally:
            self._disk = None

    def sync_disk(self) -> None:
        """Write out what was loaded, if the data lie on a disk of its own: only what follows may be lost.

        Raises:
            Problem: that was not possible.
        """
        if self._disk:
            self._disk.sync()

    def kill(self) -> None:
        """Kill all of its processes at once, as a crash does, and wait until they are gone. Its data stay as they are;
        those on a disk of its own lose what was not synced.

        The server goes first, then what it started: a process that outlived it might still write.

        Raises:
            Problem: the power of that disk cannot be cut.
        """
        if self._watch:
            self._watch.end()
            self._watch = None
        if self._process is None:
            return
        for process in self._processes(recursive=True):
            with suppress(psutil.Error):
                process.kill()
        try:
            if self._disk:
                self._disk.cut_power()
        finally:
            self._end_guard()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Within it, all of its processes are stopped, and go on afterwards. It has to run.

        Raises:
            Problem: they do not stop.
        """
        assert self._process is not None
        if self._watch:
            self._watch.end()  # which would kill it
        try:
            with hold(self._process.pid):
                yield
        finally:
            self._watch = StoppedWatch(self._process.pid, self._tell_stopped)

    def start_again(self, is_ready: IsReady) -> None:
        """Start it on the data that it left when it was killed, and return once it has recovered and serves.

        Args:
            is_ready: whether it answers as it stands, with the logins that it had.

        Raises:
            Problem: as `start`.
        """
        if self._disk:
            self._disk.power_on()
        for name in self._leftovers:  # nobody runs there any more, whatever process has its number by now
            (self.data / name).unlink(missing_ok=True)
        self.start(is_ready=is_ready)

    def end_cleanly(self, with_signal: signal.Signals = signal.SIGTERM) -> None:
        """Have it write its data out and end; they may be copied afterwards.

        Raises:
            Problem: it did not end in two minutes, or not without complaint.
        """
        if self._process is None:
            return
        self._send(with_signal)
        if self._process.wait(CLEAN_END_WITHIN_SECONDS) != 0:
            fault = self.fault() or f"{self._title} does not end"
            self.stop()
            raise Problem(fault, "see its log above; is there space in the folder?")

    def _send(self, with_signal: signal.Signals) -> None:
        for server in self._processes(recursive=False):
            with suppress(psutil.Error):
                server.send_signal(with_signal)

    def _processes(self, *, recursive: bool) -> list[psutil.Process]:
        """The server, which is the guard's only child, and if `recursive` what it started; empty if it has ended."""
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
    """Copy a folder with everything in it, by reference where the file system can.

    The large files of the copy are on the disk when this returns, so that they are not written out during a trial. The
    small ones are left to the kernel: they come to little, and syncing a thousand of them would take seconds.

    Raises:
        Problem: there is no space, or it cannot be read or written.
    """
    process = subprocess.run(
        # The target itself, also where it is there already: as an empty disk.
        ["cp", "-a", "--reflink=auto", "--no-target-directory", "--", str(source), str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        shutil.rmtree(target, ignore_errors=True)
        raise Problem(
            f"the data in {source} cannot be copied to {target}: {printable_end(process.stderr, 300)}",
            FREE_SPACE,
        )
    for path in target.rglob("*"):
        if path.is_file() and path.stat().st_size >= LARGE_BYTES:
            with path.open("rb") as file:
                os.fsync(file.fileno())


def folder_bytes(folder: Path) -> int:
    """The sizes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
