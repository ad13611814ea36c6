"""Clusters for tests of lanes. Their workers find the tests' cache and engine, as every host has its own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.clusters import Processes, hasty, running
from tests.command_line import Finished, Lab
from tests.conftest import WORKERS_CACHE

Run = Callable[..., Finished]


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
    environment = {"FAIRTRIAL_CACHE": str(cache), WORKERS_CACHE: str(folder), **hasty(), **(more or {})}
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
