"""A load engine that lives as long as the object that holds it.

It is sent as text, and run inside a worker: standard library only. Nothing in here raises: Dask logs the arguments of
what fails, and a plan may hold secrets.
"""

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import Any

BUILT_WITHIN_SECONDS = 900.0
READ_BYTES = 1 << 16
FAILED = 127
"""The exit status of an engine that could not be started, as a shell has it."""
BINARY = "from fairtrial.engine.binary import engine_binary; print(engine_binary())"


class HeldEngine:
    """An engine, and a folder with the files that its plan names. Both go when this object does."""

    def __init__(self, binary: str, plan: str, files: dict[str, bytes], on_hold: bool) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._fault = ""
        try:
            command = [binary, "run", "--die-with-parent", *(["--hold"] if on_hold else [])]
            folder = Path(tempfile.mkdtemp(prefix="fairtrial-"))
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            for name, content in files.items():
                (folder / name).write_bytes(content)
                plan = plan.replace(json.dumps(name), json.dumps(str(folder / name)))
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except Exception as error:
            self._fault = str(error)
            return
        weakref.finalize(self, _end, process)
        self._process = process
        self._open = [pipe.fileno() for pipe in (process.stdout, process.stderr) if pipe]
        threading.Thread(target=_hand_over, args=(process, plan.encode() + b"\n", on_hold), daemon=True).start()

    def __reduce__(self) -> Any:
        """It stays on its host."""
        raise TypeError("an engine stays on its host")

    def read(self, seconds: float) -> dict[str, Any]:
        """What it has printed, waited for so long at most.

        Returns:
            `out` and `err`, bytes; `status`: None while it runs, and at the end of both its exit status.
        """
        if self._process is None:
            return {"out": b"", "err": self._fault.encode(), "status": FAILED}
        assert self._process.stdout and self._process.stderr
        names = {self._process.stdout.fileno(): "out", self._process.stderr.fileno(): "err"}
        output: dict[str, Any] = {"out": b"", "err": b"", "status": None}
        for descriptor in select.select(self._open, [], [], seconds)[0]:
            content = os.read(descriptor, READ_BYTES)
            output[names[descriptor]] = content
            if not content:
                self._open.remove(descriptor)
        if not self._open:
            output["status"] = self._ended(seconds)
        return output

    def _ended(self, seconds: float) -> int | None:
        assert self._process
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

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


def start(binary: str, plan: str, files: dict[str, bytes], on_hold: bool) -> HeldEngine:
    """Start an engine.

    Args:
        plan: JSON in one line, in which the names of `files` stand for paths.
        files: content by name.
        on_hold: whether it begins only when it is told to.
    """
    return HeldEngine(binary, plan, files, on_hold)


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
