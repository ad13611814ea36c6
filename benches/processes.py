"""Processes bound to processors: generators, and the target of their requests."""

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benches.load import Command, Finished, Load, Tool
from fairtrial.lab.placement import bound_to

POLL_SECONDS = 0.1  # often enough for the peak of memory, seldom enough not to disturb
RUN_LONGER_SECONDS = 60.0  # after the requested time, a generator counts as hung
PAUSE_SECONDS = 0.1  # so long a server that pauses stands still in each second


def version(tool: Tool) -> str | None:
    """The installed version; empty if the tool does not state it, None if it is not installed."""
    if shutil.which(tool.version_command[0]) is None:
        return None
    run = subprocess.run(tool.version_command, capture_output=True, text=True, check=False, timeout=30)
    match = re.search(tool.version_pattern, run.stdout + run.stderr)
    return match.group() if match else ""


def run(command: Command, load: Load, cpus: Sequence[int]) -> Finished:
    """Run a generator on these processors until it ends. Its processor time comes from the kernel's accounting.

    Raises:
        RuntimeError: it ended with another status than 0.
    """
    texts = {name: load.scratch / name for name in ("stdin", "stdout", "stderr")}
    texts["stdin"].write_text(command.stdin)
    with (
        texts["stdin"].open() as stdin,
        texts["stdout"].open("w") as stdout,
        texts["stderr"].open("w") as stderr,
        bound_to(cpus),
    ):
        process = subprocess.Popen(command.arguments, stdin=stdin, stdout=stdout, stderr=stderr)
    deadline = time.monotonic() + load.seconds + RUN_LONGER_SECONDS
    most_memory_bytes = 0
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        most_memory_bytes = max(most_memory_bytes, peak_memory_bytes(process.pid))
        if time.monotonic() > deadline:
            process.kill()
        time.sleep(POLL_SECONDS)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        errors = texts["stderr"].read_text().strip()[-500:]
        raise RuntimeError(f"{command.arguments[0]} ended with {process.returncode}: {errors}")
    return Finished(
        stdout=texts["stdout"].read_text(),
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        most_memory_bytes=most_memory_bytes,
        load=load,
    )


def peak_memory_bytes(pid: int) -> int:
    """The process's own peak of resident memory so far; that of rusage includes the process it was forked from."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    match = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(match.group(1)) * 1024 if match else 0


@contextmanager
def pausing(pid: int) -> Iterator[None]:
    """Stops a process for a tenth of each second, from half a second on."""
    ends = threading.Event()

    def pause() -> None:
        wait_seconds = 0.5
        while not ends.wait(wait_seconds):
            os.kill(pid, signal.SIGSTOP)
            time.sleep(PAUSE_SECONDS)
            os.kill(pid, signal.SIGCONT)
            wait_seconds = 1.0 - PAUSE_SECONDS

    thread = threading.Thread(target=pause)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


class Target:
    """The engine's own server on a processor of its own. It counts the requests that it answers."""

    def __init__(self, engine: Path, cpu: int, arguments: Sequence[str] = ()) -> None:
        command = [str(engine), "target", "--cpus", str(cpu), *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        self.address: str = self._event()["address"]
        self.started_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def served(self) -> int:
        """Stop the target.

        Returns:
            The number of requests that it has answered.
        """
        self._process.send_signal(signal.SIGTERM)
        return int(self._event()["requests"])

    def _event(self) -> dict[str, Any]:
        if self._process.stdout is None:
            raise RuntimeError("the target has no standard output")
        event: dict[str, Any] = json.loads(self._process.stdout.readline())
        return event
