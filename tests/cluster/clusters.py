"""Dask clusters for tests: scheduler and workers as processes, which end with the test, workers first."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

import psutil

from fairtrial.cluster.settings import as_yaml
from tests.forked_command import become, forks

START_WITHIN_SECONDS = 60.0
ON_HOSTS = Path(__file__).parent / "on_hosts"


def hasty() -> dict[str, str]:
    """The variables by which labs on hosts are as hasty as those that tests run here: `tests.hasty`."""
    folders = [str(ON_HOSTS), str(ON_HOSTS.parents[2]), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, folders))}


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
    _running: list[psutil.Process] = field(default_factory=list)

    def start_scheduler(self) -> None:
        """Start it, and wait until it has written its address."""
        options = ["--host", self.host, "--port", "0", "--protocol", self.protocol, "--no-dashboard"]
        self._start("dask_scheduler", [*options, "--scheduler-file", str(self._file)], self.prefix)
        self.wait_for(self._file.exists)
        self.wait_for(lambda: bool(self._file.read_text()))
        self.address = json.loads(self._file.read_text())["address"]

    @property
    def scheduler(self) -> psutil.Process:
        """Its process."""
        return self._running[0]

    @property
    def workers(self) -> list[psutil.Process]:
        """Theirs, in the order in which they were started."""
        return self._running[1:]

    def start_worker(
        self, resources: str, *, host: str = "", nanny: bool = False, prefix: Sequence[str] = ()
    ) -> psutil.Process:
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
            with suppress(psutil.NoSuchProcess):
                # `unshare --fork` ends with its child, and passes no signal on.
                children = process.children() if process.name() == "unshare" else []
                next(iter(children), process).terminate()
                try:
                    process.wait(10)
                except psutil.TimeoutExpired:
                    process.kill()
                    process.wait()

    @property
    def _file(self) -> Path:
        return self.folder / "scheduler.json"

    def _start(self, program: str, options: Sequence[str], prefix: Sequence[str]) -> psutil.Process:
        configuration = self.folder / "dask"
        configuration.mkdir(exist_ok=True)
        (configuration / "fairtrial.yaml").write_text(as_yaml() if self.quiet else "")
        environment = {**os.environ, **self.environment, "DASK_CONFIG": str(configuration)}
        module = f"distributed.cli.{program}"
        with (self.folder / f"{len(self._running)}.log").open("wb") as log:
            if self.quiet and not prefix:
                process = _forked(module, options, environment, Path(log.name))
            else:
                process = psutil.Popen(
                    [*prefix, sys.executable, "-m", module, *options],
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
            assert not any(_has_ended(process) for process in self._running), self.logs()
            time.sleep(0.02)

    def logs(self) -> str:
        """What all of them printed."""
        return "\n".join(log.read_text() for log in sorted(self.folder.glob("*.log")))


def _forked(module: str, options: Sequence[str], environment: Mapping[str, str], log: Path) -> psutil.Process:
    """A program of Dask's, forked from a process that has imported it, and set as the lab's page for clusters says.

    A few settings are read by the import alone, none of them the lab's: `fairtrial worker` sets those later as well.
    """
    process = forks().Process(target=_be_dask, args=(module, list(options), dict(environment), log))
    process.start()
    assert process.pid is not None
    return psutil.Process(process.pid)


def _be_dask(module: str, options: list[str], environment: dict[str, str], log: Path) -> None:
    with log.open("ab") as output:
        become([module, *options], Path.cwd(), environment, [output.fileno()] * 2)
    import_module(module).main()


def _has_ended(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@contextmanager
def running(processes: Processes) -> Iterator[Processes]:
    """Within, its processes run; at the end they are stopped."""
    try:
        yield processes
    finally:
        processes.stop()
