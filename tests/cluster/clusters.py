"""Dask clusters for tests: scheduler and workers as processes, which end with the test, workers first."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from fairtrial.cluster.settings import as_yaml

START_WITHIN_SECONDS = 60.0


@dataclass
class Processes:
    """A scheduler, and workers that are started one by one."""

    folder: Path
    host: str = "127.0.0.1"
    quiet: bool = True
    """whether Dask has the lab's settings, or its own defaults"""
    protocol: str = "tcp"
    environment: Mapping[str, str] = field(default_factory=dict)
    """beside the test's own"""
    prefix: Sequence[str] = ()
    """put before the command of the scheduler, and of a worker that has none of its own"""
    address: str = ""
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start_scheduler(self) -> None:
        """Start it, and wait until it has written its address."""
        options = ["--host", self.host, "--port", "0", "--protocol", self.protocol, "--no-dashboard"]
        self._start("dask_scheduler", [*options, "--scheduler-file", str(self._file)], self.prefix)
        self.wait_for(self._file.exists)
        self.wait_for(lambda: bool(self._file.read_text()))
        self.address = json.loads(self._file.read_text())["address"]

    @property
    def scheduler(self) -> "subprocess.Popen[bytes]":
        """Its process."""
        return self._running[0]

    @property
    def workers(self) -> "list[subprocess.Popen[bytes]]":
        """Theirs, in the order in which they were started."""
        return self._running[1:]

    def start_worker(
        self, resources: str, *, host: str = "", nanny: bool = False, prefix: Sequence[str] = ()
    ) -> "subprocess.Popen[bytes]":
        """Start one. It ends by itself when it finds no scheduler for half a minute."""
        return self._start(
            "dask_worker",
            [
                *(self.address, "--host", host or self.host, "--protocol", self.protocol),
                *("--nthreads", "1", "--no-dashboard"),
                *(() if nanny else ("--no-nanny",)),
                *(("--resources", resources) if resources else ()),
                *("--death-timeout", "30", "--local-directory", str(self.folder)),
            ],
            prefix or self.prefix,
        )

    def wait_for_workers(self, number: int) -> None:
        """Wait until so many workers have registered, which the scheduler logs."""
        self.wait_for(lambda: (self.folder / "0.log").read_text().count("Register worker") >= number)

    def stop(self) -> None:
        """End workers, then the scheduler: ended together, a worker can hang."""
        for process in reversed(self._running):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @property
    def _file(self) -> Path:
        return self.folder / "scheduler.json"

    def _start(self, program: str, options: Sequence[str], prefix: Sequence[str]) -> "subprocess.Popen[bytes]":
        configuration = self.folder / "dask"
        configuration.mkdir(exist_ok=True)
        (configuration / "fairtrial.yaml").write_text(as_yaml() if self.quiet else "")
        environment = {**os.environ, **self.environment, "DASK_CONFIG": str(configuration)}
        log = (self.folder / f"{len(self._running)}.log").open("wb")
        with log:
            process = subprocess.Popen(
                [*prefix, sys.executable, "-m", f"distributed.cli.{program}", *options],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._running.append(process)
        return process

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait until it holds; fail if a process ends meanwhile, or after a minute."""
        until = time.monotonic() + START_WITHIN_SECONDS
        while not condition():
            assert time.monotonic() < until, self.logs()
            assert all(process.poll() is None for process in self._running), self.logs()
            time.sleep(0.02)

    def logs(self) -> str:
        """What all of them printed."""
        return "\n".join(log.read_text() for log in sorted(self.folder.glob("*.log")))


@contextmanager
def running(processes: Processes) -> Iterator[Processes]:
    """Within, its processes run; at the end they are stopped."""
    try:
        yield processes
    finally:
        processes.stop()
