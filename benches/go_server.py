"""Servers in Go, each on a processor of its own."""

import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from fairtrial.base.loopback import LOOPBACK, free_port, listens
from fairtrial.lab.placement import bound_to

STARTS_WITHIN_SECONDS = 20.0


def lack() -> str | None:
    """Why no such server can be built; None: it can."""
    return None if shutil.which("go") else "Go is not installed"


@functools.cache
def build(source: Path) -> Path:
    """The program of a folder with a go.mod. It is kept until this process ends.

    Raises:
        RuntimeError: it cannot be built.
    """
    folder = tempfile.mkdtemp(prefix="fairtrial-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = Path(folder) / "server"
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-o", str(program), "."]
    environment = {**os.environ, "CGO_ENABLED": "0"}
    built = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise RuntimeError(f"go build ended with {built.returncode}: {built.stderr.strip()[-500:]}")
    return program


class GoServer:
    """The server of a folder, at a free port that it is told by PORT."""

    def __init__(self, source: Path, cpu: int, arguments: Sequence[str] = ()) -> None:
        program, port = build(source), free_port()
        self.address = f"{LOOPBACK}:{port}"
        with bound_to([cpu]):
            environment = {**os.environ, "PORT": str(port), "GOMAXPROCS": "1"}
            self._process = subprocess.Popen([str(program), *arguments], env=environment)
        self.pid = self._process.pid
        deadline = time.monotonic() + STARTS_WITHIN_SECONDS
        while not listens(port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._process.kill()
                self._process.wait()
                raise RuntimeError(f"the server of {source.name} did not start")
            time.sleep(0.01)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
