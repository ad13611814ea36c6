"""Clusters for tests of lanes. Their workers find the tests' cache and engine, as every host has its own."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.cluster.clusters import Processes, running
from tests.command_line import Finished, Lab
from tests.conftest import WORKERS_CACHE

Run = Callable[..., Finished]
PATIENCE_SECONDS = 60


@contextmanager
def cluster(
    folder: Path,
    cache: Path,
    *resources: str,
    more: Mapping[str, str] | None = None,
    prefixes: Mapping[int, Sequence[str]] | None = None,
    **settings: Any,
) -> Iterator[Processes]:
    """A scheduler, and a worker with each of these resources, all on loopback.

    Args:
        prefixes: put before the commands of workers, by their places.
    """
    # By the last variable, what its hosts run is told from all else: stacks inherit it as well.
    environment = {"FAIRTRIAL_CACHE": str(cache), WORKERS_CACHE: str(folder), **(more or {})}
    processes = Processes(folder, environment=environment, **settings)
    with running(processes):
        processes.start_scheduler()
        for place, each in enumerate(resources):
            processes.start_worker(each, prefix=(prefixes or {}).get(place, ()))
        processes.wait_for_workers(len(resources))
        yield processes


@pytest.fixture(scope="module")
def lane(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A cluster of one lane of two workers, for all tests that leave it as it is."""
    with cluster(tmp_path_factory.mktemp("lane"), cache, "server=1", "load=1") as processes:
        yield processes


@pytest.fixture
def run_on(lab: Lab) -> Run:
    """`fairtrial run --cluster` on an experiment of these stacks of the user's."""

    def run(processes: Processes, *stacks: str, options: Sequence[str] = (), **experiment: Any) -> Finished:
        return lab.fairtrial(*arguments_on(lab, processes, *stacks, options=options, **experiment))

    return run


def arguments_on(
    lab: Lab, processes: Processes, *stacks: str, options: Sequence[str] = (), **experiment: Any
) -> list[str | Path]:
    """The arguments of such a command."""
    file = lab.experiment(*stacks, **experiment)
    return ["run", file, *lab.named(*stacks), "--cluster", processes.address, *options]


@contextmanager
def under_way(lab: Lab, *arguments: str | Path, prefix: Sequence[str] = ()) -> Iterator["subprocess.Popen[str]"]:
    """A command as a process, which ends with the test."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*prefix, *lab.command(*arguments)], env=lab.environment, cwd=lab.folder, stdout=pipe, stderr=pipe, text=True
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def wait_for(condition: Callable[[], object], what: str) -> None:
    """Wait until a condition holds."""
    patience = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < patience, what
        time.sleep(0.02)


def run_there(processes: Processes) -> list[psutil.Process]:
    """What the hosts of a cluster run beside scheduler and workers, guards and stacks included."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.status() == psutil.STATUS_ZOMBIE or "distributed.cli" in " ".join(process.cmdline()):
                continue
            if process.environ().get(WORKERS_CACHE) == str(processes.folder) and process.pid != os.getpid():
                found.append(process)
    return found


def runs(processes: Processes, word: str) -> bool:
    """Whether a host of the cluster runs a program with this word in its command line."""
    for process in run_there(processes):
        with suppress(psutil.Error):
            if word in " ".join(process.cmdline()):
                return True
    return False
