"""Load engines on hosts of a cluster, which the lab treats as those of this machine."""

import hashlib
import io
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import READY_WITHIN_SECONDS, Cluster, RemoteProgram
from fairtrial.cluster.programs import PYTHON, HostCommand
from fairtrial.engine.plan import EnginePlan

MOST_FILE_BYTES = 64 << 20
"""Files of a plan travel in Dask's messages, through the scheduler."""
BINARY = "from fairtrial.engine.binary import engine_binary; print(engine_binary())"
PATH_KEYS = frozenset({"file", "body_file", "ca_file", "certificate_file", "key_file"})
"""Keys of a plan whose values are paths of files that the engine reads; a test holds them against the plan's models."""


@dataclass(frozen=True)
class RemoteEngine:
    """The engine's binary on the host of a worker."""

    cluster: Cluster
    worker: str
    binary: str

    def start(self, plan: EnginePlan, *, on_hold: bool = False, quiet_seconds: float = 0.0) -> RemoteProgram:
        """Start it, and hand it the plan with the files that the plan names.

        Args:
            on_hold: whether it begins only when it is told to.
            quiet_seconds: while it measures, nobody hears of its progress until so long has passed.

        Raises:
            Problem: a file cannot be read or is too long, or the worker is lost.
        """
        text, files = with_files(plan)
        arguments = [self.binary, "run", "--die-with-parent", *(["--hold"] if on_hold else [])]
        command = HostCommand(arguments, text + "\n", files, keeps_input=on_hold, quiet_seconds=quiet_seconds)
        return self.cluster.start(self.worker, command)

    def clock(self, clock: Callable[[], float] = time.monotonic) -> ClockOffset:
        """The clock by which it tells when it sent requests. Raises Problem: the worker is lost."""
        return self.cluster.clock(self.worker, clock)


def remote_engine(cluster: Cluster, worker: str) -> RemoteEngine:
    """The engine on the host of a worker, built first if there is none yet, which takes minutes.

    It is built by a process of its own: a build takes signals and locks that a worker has other uses for.

    Raises:
        Problem: it cannot be built there, or the worker is lost.
    """
    build = cluster.start(worker, HostCommand([PYTHON, "-c", BINARY], "", keeps_input=False))
    try:
        path = b"".join(build.lines(READY_WITHIN_SECONDS)).decode()
    finally:
        build.release()
    if build.status:
        fault = (build.errors.decode(errors="replace").strip().splitlines() or ["it cannot be built"])[-1]
        raise Problem(
            f"there is no load engine at the worker {printable(worker, 60)}: {printable(fault, 300)}",
            "run `fairtrial doctor` on that host",
            NOTHING_RAN,
        )
    return RemoteEngine(cluster, worker, path)


def process_of(engine: RemoteProgram, quiet_seconds: float = 0.0) -> "CarriedProcess":
    """An engine on a host as a process of this machine."""

    def carry(out: IO[bytes], err: IO[bytes]) -> int:
        try:
            for line in engine.lines():
                with suppress(OSError):  # nobody reads any more
                    out.write(line + b"\n")
            err.write(engine.errors)
        except Problem as problem:
            err.write(str(problem).encode())
        finally:
            engine.release()
        return -signal.SIGKILL if engine.status is None else engine.status

    return CarriedProcess(carry, engine.send_signal, quiet_seconds)


class CarriedProcess:
    """Processes elsewhere as one of this machine: a `fairtrial.engine.process.EngineProcess`."""

    def __init__(
        self,
        carry: Callable[[IO[bytes], IO[bytes]], int],
        send_signal: Callable[[int], None],
        quiet_seconds: float = 0.0,
    ) -> None:
        """Begin to carry.

        Args:
            carry: writes what they print into two pipes, and returns their exit status when they have ended. An OSError
                of a pipe that nobody reads any more is left to the caller.
            send_signal: sends them a signal.
            quiet_seconds: for so long what they print may be kept there.
        """
        self.returncode: int | Any = None
        self.stdout: IO[bytes] | None
        self.stderr: IO[bytes] | None
        self.stdout, out = _pipe()
        self.stderr, err = _pipe()
        self.send_signal, self.quiet_seconds = send_signal, quiet_seconds
        self._has_ended = threading.Event()
        threading.Thread(target=self._carry, args=(carry, out, err), name="carried process", daemon=True).start()

    def poll(self) -> int | None:
        """The exit status, if they have ended."""
        status: int | None = self.returncode
        return status

    def wait(self, timeout: float | None = None) -> int:
        """Wait for their end. Raises `subprocess.TimeoutExpired`."""
        if not self._has_ended.wait(timeout):
            raise subprocess.TimeoutExpired("fairtrial-engine", timeout or 0.0)
        return int(self.returncode)

    def kill(self) -> None:
        """End them at once."""
        self.send_signal(signal.SIGKILL)

    def _carry(self, carry: Callable[[IO[bytes], IO[bytes]], int], out: IO[bytes], err: IO[bytes]) -> None:
        status = -signal.SIGKILL
        try:
            with suppress(OSError):
                status = carry(out, err)
        except Exception as error:  # whatever Dask raises: the reader is told, and not left with an end without a word
            with suppress(OSError):
                err.write(f"what the engine printed could not be carried: {error!r}".encode())
        finally:
            self.returncode = status
            out.close()
            err.close()
            self._has_ended.set()


def with_files(plan: EnginePlan) -> tuple[str, dict[str, bytes]]:
    """The plan as JSON, in which a name stands for each path, and the content of each file by its name.

    Raises:
        Problem: a file cannot be read, or they are too long together.
    """
    files: dict[str, bytes] = {}

    def name_of(path: str) -> str:
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise Problem(
                f"{printable(path)}: {error.strerror}", "see that the file is there, and can be read"
            ) from error
        name = f"file-{hashlib.sha256(content).hexdigest()}"
        files[name] = content
        if sum(map(len, files.values())) > MOST_FILE_BYTES:
            raise Problem(
                f"{printable(path)}: the files of this load are longer than {MOST_FILE_BYTES >> 20} MiB, which is the "
                "most that is sent to a host",
                "make them shorter, or start `fairtrial load` on that host",
            )
        return name

    def in_place(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: name_of(inner) if key in PATH_KEYS and isinstance(inner, str) else in_place(inner)
                for key, inner in value.items()
            }
        return [in_place(inner) for inner in value] if isinstance(value, list) else value

    changed = in_place(plan.model_dump(mode="json", exclude_none=True))
    return json.dumps(changed), files


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    """A pipe of this process without buffers: its end to read, and its end to write."""
    read, write = os.pipe()
    return io.FileIO(read, "r"), io.FileIO(write, "w")
