"""Clusters for tests of lanes. Their workers find the tests' cache and engine, as every host has its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.clusters import Processes, running
from tests.command_line import Finished, Lab

Run = Callable[..., Finished]


@contextmanager
def cluster(folder: Path, cache: Path, *resources: str, **settings: Any) -> Iterator[Processes]:
    """A scheduler, and a worker with each of these resources, all on loopback."""
    processes = Processes(folder, environment={"FAIRTRIAL_CACHE": str(cache)}, **settings)
    with running(processes):
        processes.start_scheduler()
        for each in resources:
            processes.start_worker(each)
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

    def run(
        processes: Processes, *stacks: str, blocks: int = 1, options: tuple[str, ...] = (), more: str = ""
    ) -> Finished:
        experiment = lab.experiment(*stacks, blocks=blocks, more=more)
        return lab.fairtrial("run", experiment, *lab.named(*stacks), "--cluster", processes.address, *options)

    return run
