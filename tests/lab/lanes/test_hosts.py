"""Lanes of hosts with addresses of their own: network namespaces, made and removed by the tests."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.clusters import Processes, hasty, running
from tests.cluster.networks import NetworkHost, hosts
from tests.cluster.there import record_of, run_there, runs, under_way
from tests.command_line import Lab
from tests.conftest import WORKERS_CACHE
from tests.lab.lanes.conftest import arguments_on
from tests.waiting import wait_for

UNENCRYPTED = ("--unencrypted",)


@contextmanager
def cluster_on(
    folder: Path, cache: Path, network: Sequence[NetworkHost], *resources: str, **more: str
) -> Iterator[Processes]:
    """A scheduler on the first host, and a worker with resources on each further one."""
    environment = {"FAIRTRIAL_CACHE": str(cache), WORKERS_CACHE: str(folder), **hasty(), **more}
    processes = Processes(folder, host=network[0].address, environment=environment, prefix=network[0].prefix)
    with running(processes):
        processes.start_scheduler()
        for host, each in zip(network[1:], resources, strict=True):
            processes.start_worker(each, host=host.address, prefix=host.prefix)
        processes.wait_for_workers(len(resources))
        yield processes


def test_server_and_load_on_hosts_of_their_own(lab: Lab, cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    folder.mkdir()
    with hosts(3) as network, cluster_on(folder, cache, network, "server=1", "load=1") as processes:
        arguments = arguments_on(lab, processes, lab.stack("one"), options=UNENCRYPTED, seconds=1)
        with under_way(lab, *arguments, prefix=network[0].prefix) as process:
            out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    first, trial = record_of(lab)
    assert (trial["engine"]["verified"] > 0 and trial["engine"]["errors"] == {}) or not any(
        trial["engine"]["errors"].values()
    )
    (its,) = first["lanes"]
    assert [host["worker"].split("//")[1].split(":")[0] for host in its["hosts"]] == [
        host.address for host in network[1:]
    ]
    assert all(clause["passed"] for clause in trial["contract"])
    # When answers were asked for, the load's host says by its own clock.
    assert trial["row_changes"]["old"] == 0 and 0 < trial["row_changes"]["grace_seconds"] < 0.5


def test_a_load_host_that_is_cut_off(lab: Lab, cache: Path, tmp_path: Path) -> None:
    """Nobody tells of it: Dask gives the connection up after its time limit, which is 30 s unless it is set."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    limit = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "11s"}
    with hosts(3) as network, cluster_on(folder, cache, network, "server=1", "load=1", **limit) as processes:
        arguments = arguments_on(lab, processes, lab.stack("one"), options=UNENCRYPTED, seconds=50)
        with under_way(lab, *arguments, prefix=network[0].prefix) as process:
            wait_for(lambda: runs(processes, "server.py") and runs(processes, "fairtrial-engine run"), "a load runs")
            network[2].take_link_down()
            _, err = process.communicate(timeout=120)
        assert process.returncode == 4, err
        _, trial = record_of(lab)
        assert trial["failure"]["stage"] == "host" and "is lost" in trial["failure"]["reason"]
        wait_for(lambda: not run_there(processes), "all that ran on the hosts has ended")
