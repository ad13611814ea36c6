"""A load engine that lives as long as the object that holds it.

It is sent as text, and run inside a worker: standard library, and Dask, which every worker has. Nothing in here raises:
Dask logs the arguments of what fails, and a plan may hold secrets. Whenever the engine has printed something, the
scheduler passes an event on; nobody asks again and again, so that a load has its host to itself.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

BUILT_WITHIN_SECONDS = 900.0
FAILED = 127
"""The exit status of an engine that could not be started, as a shell has it."""
BINARY = "from fairtrial.engine.binary import engine_binary; print(engine_binary())"


class HeldEngine:
    """An engine, and in memory the files that its plan names. Both go when this object does."""

    def __init__(
        self, topic: str, binary: str, plan: str, files: dict[str, bytes], on_hold: bool, quiet_seconds: float
    ) -> None:
        from distributed import get_worker  # noqa: PLC0415 only inside a worker, which has it

        worker = get_worker()
        self._process: subprocess.Popen[bytes] | None = None
        self._out, self._err = bytearray(), bytearray()
        self._ends: list[int] = []
        """its exit status, once all that it printed is kept"""
        self._lock = threading.Lock()
        descriptors = []
        try:
            command = [binary, "run", "--die-with-parent", *(["--hold"] if on_hold else [])]
            for name, content in files.items():
                descriptors.append(os.memfd_create(name))
                with open(descriptors[-1], "wb", closefd=False) as file:
                    file.write(content)
                plan = plan.replace(json.dumps(name), json.dumps(f"/proc/self/fd/{descriptors[-1]}"))
            pipe = subprocess.PIPE
            process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, pass_fds=descriptors
            )
        except Exception as error:
            self._err += str(error).encode()
            worker.log_event(topic, "said")
            return
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        weakref.finalize(self, _end, process)
        self._process = process

        def notify() -> None:
            worker.log_event(topic, "said")

        news = _News(notify, quiet_seconds)
        readers = [
            threading.Thread(target=_keep, args=(pipe, buffer, self._lock, news), daemon=True)
            for pipe, buffer in ((process.stdout, self._out), (process.stderr, self._err))
        ]
        ending = threading.Thread(target=_await_end, args=(process, readers, self._ends, notify), daemon=True)
        giving = threading.Thread(target=_hand_over, args=(process, plan.encode() + b"\n", on_hold), daemon=True)
        for thread in (*readers, ending, giving):
            thread.start()

    def __reduce__(self) -> Any:
        """It stays on its host."""
        raise TypeError("an engine stays on its host")

    def take(self) -> dict[str, Any]:
        """What it has printed since. Nothing is waited for.

        Returns:
            `out` and `err`, bytes; `status`: None while it runs or has more to print, then its exit status.
        """
        status = FAILED if self._process is None else (self._ends[0] if self._ends else None)
        with self._lock:
            output = {"out": bytes(self._out), "err": bytes(self._err), "status": status}
            self._out.clear()
            self._err.clear()
        return output

    def say(self, line: str) -> bool:
        """Write a line to its standard input; False if it has ended."""
        if self._process is None or self._process.stdin is None:
            return False
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            return False
        return True

    def signal(self, number: int) -> bool:
        """Send it a signal; False if it has ended."""
        if self._process is None or self._process.poll() is not None:
            return False
        self._process.send_signal(number)
        return True


class _News:
    """Tells that the engine has printed something; while it measures, of its progress only now and then."""

    def __init__(self, notify: Callable[[], None], quiet_seconds: float) -> None:
        self._notify, self._quiet_seconds = notify, quiet_seconds
        self._told = time.monotonic()

    def tell(self, line: bytes) -> None:
        now = time.monotonic()
        is_progress = b'"progress"' in line[:40] and b'"phase":"window"' in line[:120]
        if not is_progress or now - self._told >= self._quiet_seconds:
            self._told = now
            self._notify()


def start(
    topic: str, binary: str, plan: str, files: dict[str, bytes], on_hold: bool, quiet_seconds: float
) -> HeldEngine:
    """Start an engine.

    Args:
        topic: of the events that say that it has printed something.
        plan: JSON in one line, in which the names of `files` stand for paths.
        files: content by name.
        on_hold: whether it begins only when it is told to.
        quiet_seconds: while it measures, events about its progress are so far apart at least.
    """
    return HeldEngine(topic, binary, plan, files, on_hold, quiet_seconds)


def binary() -> dict[str, str]:
    """The engine of the lab that is installed here, built first if there is none yet.

    Returns:
        `path`, or `fault`.
    """
    try:
        process = subprocess.run(
            [sys.executable, "-c", BINARY],
            capture_output=True,
            text=True,
            timeout=BUILT_WITHIN_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"fault": str(error)}
    if process.returncode:
        return {"fault": (process.stderr.strip().splitlines() or ["it cannot be built"])[-1]}
    return {"path": process.stdout.strip()}


def endpoint(host: str, port: int, seconds: float) -> dict[str, Any]:
    """Connect once to the first address of a host that answers, and close again.

    Returns:
        `address` and `own`, the IP addresses of both ends; or `number` and `text` of the first address's error.
    """
    fault: OSError | None = None
    until = time.monotonic() + seconds
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        return {"number": 0, "text": f"no address found: {error}"}
    for address in dict.fromkeys(str(info[4][0]) for info in infos):
        try:
            with socket.create_connection((address, port), timeout=max(0.1, until - time.monotonic())) as connection:
                return {"address": address, "own": connection.getsockname()[0]}
        except OSError as error:
            fault = fault or error
    assert fault
    return {"number": fault.errno or 0, "text": str(fault)}


def _hand_over(process: "subprocess.Popen[bytes]", plan: bytes, on_hold: bool) -> None:
    assert process.stdin
    try:
        process.stdin.write(plan)
        process.stdin.flush()
        if not on_hold:
            process.stdin.close()
    except OSError:  # it has ended, which its output says as well
        pass


def _keep(pipe: Any, buffer: bytearray, lock: Any, news: _News) -> None:
    for line in pipe:
        with lock:
            buffer += line
        news.tell(line)


def _await_end(process: "subprocess.Popen[bytes]", readers: list[Any], ends: list[int], notify: Any) -> None:
    for reader in readers:
        reader.join()
    ends.append(process.wait())
    notify()


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        try:
            if pipe:
                pipe.close()
        except OSError:  # what was not read is not missed
            pass
