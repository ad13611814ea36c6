"""A load engine on a host of a cluster, which the lab treats as one of this machine."""

import hashlib
import io
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.reporter import Reporter
from fairtrial.engine.plan import EnginePlan

MOST_FILE_BYTES = 64 << 20
"""Files of a plan travel in Dask's messages, through the scheduler."""


@dataclass(frozen=True)
class EngineThere:
    """The engine's binary on the host of a worker."""

    worker: str
    binary: str


def engine_there(cluster: Cluster, worker: str) -> EngineThere:
    """The engine on the host of a worker, built first if there is none yet, which takes minutes.

    Raises:
        Problem: it cannot be built there, or the worker is lost.
    """
    reply = cluster.compute(worker, "engine", "binary")
    if "path" not in reply:
        raise Problem(
            f"there is no load engine at the worker {printable(worker, 60)}: {printable(reply['fault'], 300)}",
            "run `fairtrial doctor` on that host",
            NOTHING_RAN,
        )
    return EngineThere(worker, reply["path"])


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


class RemoteEngine:
    """An engine on a worker's host. It ends with this process, its worker, and either's connection to the scheduler."""

    def __init__(
        self,
        cluster: Cluster,
        location: EngineThere,
        plan: EnginePlan,
        *,
        on_hold: bool = False,
        quiet_seconds: float = 0.0,
    ) -> None:
        """Start it, and hand it the plan with the files that the plan names.

        Args:
            on_hold: whether it begins only when `say` tells it to.
            quiet_seconds: while it measures, nobody asks its host for its progress until so long has passed.

        Raises:
            Problem: a file cannot be read or is too long.
        """
        text, files = with_files(plan)
        self._engine = Reporter(
            cluster,
            location.worker,
            "engine",
            binary=location.binary,
            plan=text,
            files=files,
            on_hold=on_hold,
            quiet_seconds=quiet_seconds,
        )
        self.process = CarriedProcess(self._carry, self._send_signal, quiet_seconds)

    def say(self, line: str) -> None:
        """Write a line to its standard input."""
        with suppress(Problem):  # as below
            self._engine.call("say", line)

    def _send_signal(self, number: int) -> None:
        with suppress(Problem):  # its worker is lost, which the reader has found or will find as well
            self._engine.call("signal", int(number))

    def _carry(self, out: IO[bytes], err: IO[bytes]) -> int:
        try:
            for output in self._engine.reports():
                with suppress(OSError):  # nobody reads any more
                    out.write(output["out"])
                    err.write(output["err"])
                if output["status"] is not None:
                    return int(output["status"])
        except Problem as problem:
            err.write(str(problem).encode())
        finally:
            self._engine.release()
        return -signal.SIGKILL


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


PATH_KEYS = frozenset({"file", "body_file", "ca_file", "certificate_file", "key_file"})
"""Keys of a plan whose values are paths of files that the engine reads; a test holds them against the plan's models."""


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    """A pipe of this process without buffers: its end to read, and its end to write."""
    read, write = os.pipe()
    return io.FileIO(read, "r"), io.FileIO(write, "w")
