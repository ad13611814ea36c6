"""A lab on a host, which lives as long as the object that holds it, and speaks in lines.

It is sent as text, and run inside a worker: standard library, and Dask, which every worker has. Whenever the lab has
said something, the scheduler passes an event on; nobody asks again and again, so that a trial has its host to itself.
"""

import os
import signal
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

ENDED_WITHIN_SECONDS = 25.0
"""A lab whose input has ended stops its stack and its services, which may take their time of grace."""
ERROR_BYTES = 1 << 14
TLS = ("ca_file", "client_cert", "client_key")
CONNECTING = ("lane",)
"""Commands of labs that connect to the scheduler themselves."""


class HeldLab:
    """A lab as a process. When this object goes, the lab's input ends, by which it ends."""

    def __init__(self, command: str, topic: str, task: str) -> None:
        from distributed import get_worker  # noqa: PLC0415 only inside a worker, which has it

        worker = get_worker()
        self._said: deque[str] = deque()
        self._errors = bytearray()
        self._process: subprocess.Popen[bytes] | None = None
        variables: dict[str, str] = {}
        descriptors: list[int] = []
        try:
            if command in CONNECTING:
                _give_certificates(worker.security, variables, descriptors)
            process = subprocess.Popen(
                [sys.executable, "-m", "fairtrial", command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **variables},
                pass_fds=descriptors,
                start_new_session=True,
            )
        except Exception as error:
            self._errors += str(error).encode()
            worker.log_event(topic, "said")
            return
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        weakref.finalize(self, _end, process)
        self._process = process

        def notify() -> None:
            worker.log_event(topic, "said")

        for target, arguments in (
            (_read_lines, (process, self._said, notify)),
            (_read_errors, (process, self._errors)),
            (_write, (process, task)),
        ):
            threading.Thread(target=target, args=arguments, daemon=True).start()

    def __reduce__(self) -> Any:
        """It stays on its host."""
        raise TypeError("a lab stays on its host")

    def take(self) -> dict[str, Any]:
        """What it has said since.

        Returns:
            `lines`; `status`: None while it runs; `error`: the end of its standard error, once it has ended.
        """
        status = 127 if self._process is None else self._process.poll()
        lines = []
        while self._said:
            lines.append(self._said.popleft())
        return {
            "lines": lines,
            "status": status,
            "error": "" if status is None else bytes(self._errors).decode(errors="replace"),
        }

    def say(self, line: str) -> bool:
        """Write a line to its standard input; False if it has ended."""
        return self._process is not None and _write(self._process, line)


def start(command: str, topic: str, task: str) -> HeldLab:
    """Start a lab.

    Args:
        command: of Fairtrial, that it is.
        topic: of the events that say that it has said something.
        task: the first line that it reads.
    """
    return HeldLab(command, topic, task)


def _give_certificates(security: Any, variables: "dict[str, str]", descriptors: "list[int]") -> None:
    """The worker's certificates as Dask's configuration of a client, unless it has some.

    Texts become files in memory, which the lab inherits, and which end with it: they are on no disk.

    Args:
        variables: gets those that name them.
        descriptors: gets theirs.
    """
    import dask  # noqa: PLC0415

    texts = {
        "ca_file": security.tls_ca_file,
        "client_cert": security.tls_client_cert or security.tls_worker_cert,
        "client_key": security.tls_client_key or security.tls_worker_key,
    }
    for name in TLS:
        content = texts[name]
        key = "distributed.comm.tls." + name.replace("client_", "client.")
        if not content or dask.config.get(key, None):
            continue
        if "\n" in content:
            descriptor = os.memfd_create(name)
            descriptors.append(descriptor)
            with open(descriptor, "w", encoding="utf-8", closefd=False) as file:
                file.write(content)
            content = f"/proc/self/fd/{descriptor}"
        variables["DASK_" + key.upper().replace(".", "__")] = content


def _read_lines(process: "subprocess.Popen[bytes]", lines: "deque[str]", notify: Callable[[], None]) -> None:
    assert process.stdout
    with process.stdout:
        for line in process.stdout:
            lines.append(line.decode(errors="replace"))
            notify()
    process.wait()
    notify()


def _read_errors(process: "subprocess.Popen[bytes]", errors: bytearray) -> None:
    assert process.stderr
    with process.stderr:
        while content := process.stderr.read1(1 << 12):  # type: ignore[attr-defined]
            errors += content
            del errors[:-ERROR_BYTES]


def _write(process: "subprocess.Popen[bytes]", line: str) -> bool:
    assert process.stdin
    try:
        process.stdin.write(line.encode() + b"\n")
        process.stdin.flush()
    except (OSError, ValueError):  # it has ended
        return False
    return True


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End its input, and itself if that does not do. This thread is the worker's, which does not wait."""

    def wait() -> None:
        try:
            process.wait(ENDED_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()

    try:
        if process.stdin:
            process.stdin.close()
        threading.Thread(target=wait, daemon=True).start()
    except (OSError, RuntimeError):  # no thread begins while the worker ends; the lab gives itself up as well
        pass
