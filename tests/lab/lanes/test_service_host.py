"""Databases on a host of their own: brought up, asked, changed, killed and metered there."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.cluster.clusters import Processes
from tests.cluster.networks import NetworkHost, hosts
from tests.cluster.there import record_of, run_there, runs, under_way
from tests.command_line import Lab
from tests.lab.lanes.conftest import Run, arguments_on, cluster
from tests.lab.lanes.test_hosts import UNENCRYPTED, cluster_on
from tests.machine.needs import needs
from tests.waiting import wait_for

CHEAT = Path(__file__).parents[2] / "fixtures" / "cheat.py"
pytestmark = needs("postgresql")

ROLES = ("server=1", "load=1", "service=1")


def honest(lab: Lab, workload: str) -> str:
    run = [sys.executable, "cheat.py", "honest"]
    return lab.stack("honest", run=run, server=CHEAT, workload=workload, service="postgresql")


@pytest.fixture(scope="module")
def three(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A cluster of one lane of three workers, for all tests that leave it as it is."""
    with cluster(tmp_path_factory.mktemp("three"), cache, *ROLES) as processes:
        yield processes


def test_all_that_a_trial_asks_of_a_database(lab: Lab, run_on: Run, three: Processes) -> None:
    planned = lab.fairtrial("cluster", "plan", "--cluster", three.address)
    assert planned.out.startswith("1 lane of 3 hosts") and "services on" in planned.out.replace("\n", " ")
    more = {"workload": "survey-insert", "service": "postgresql"}
    stack = honest(lab, "survey-insert")
    finished = run_on(three, stack, seconds=1, crash_audit="all", **more)
    assert finished.status == 0, finished.err + finished.out
    first, trial = finished.record
    (lane,) = first["lanes"]
    assert [host["roles"] for host in lane["hosts"]] == [["server"], ["load"], ["service"]]
    (service,) = lane["services"]
    assert service["where"] == "private" and service["host"]["cpus"] > 0
    assert trial["failure"] is None
    # Counted, metered, audited, and at rest afterwards.
    assert trial["ledger"]["done"]["writes"] == trial["audit"]["stored"] >= trial["audit"]["acknowledged"] > 0
    assert trial["audit"]["faults"] == [] and trial["settle"]["at_rest"]
    assert trial["service"]["cpu_user_seconds"] + trial["service"]["cpu_system_seconds"] > 0
    assert trial["durability"]["promised"] and trial["durability"]["commits"] >= trial["audit"]["acknowledged"]
    assert set(trial["maintenance"]) == {"postgresql"}
    # The database was killed there under a load, and started again on what it had left.
    crash = trial["crash"]
    assert crash["drawn"] and not crash["why_not"], crash
    assert crash["stored"] >= crash["acknowledged"] > 0 == crash["lost"]


def test_a_database_that_is_killed_there(lab: Lab, three: Processes) -> None:
    """The trial is discarded with the end of the database's log, and the next one has it back."""
    stack = honest(lab, "random-item")
    arguments = arguments_on(lab, three, stack, service="postgresql", seconds=2, blocks=2)
    with under_way(lab, *arguments) as process:
        wait_for(lambda: runs(three, "fairtrial-engine run") and _begun(lab), "a load runs")
        wait_for(lambda: _postmaster(three, "127.0.0.1"), "the database runs").kill()
        out, err = process.communicate(timeout=120)
    _, first, second = record_of(lab)
    assert first["failure"]["stage"] in ("load", "service"), out + err
    assert "was killed by signal 9" in first["failure"]["reason"]
    assert second["failure"] is None and second["engine"]["verified"] > 0


def _postmaster(processes: Processes, address: str) -> psutil.Process | None:
    """The first process of the database that listens at this address, below the lab on its host."""
    for lab_there in run_there(processes):
        with suppress(psutil.Error):
            if lab_there.cmdline()[-1:] == ["lab"]:
                for process in lab_there.children(recursive=True):
                    words = process.cmdline() or [""]
                    if words[0].endswith("/postgres") and f"listen_addresses={address}" in words:
                        return process
    return None


def _begun(lab: Lab) -> bool:
    return any((lab.folder / "results").glob("*/record.jsonl"))


@contextmanager
def on_network(cache: Path, folder: Path, *roles: str) -> Iterator[tuple[Processes, list[NetworkHost]]]:
    """A scheduler on the first host, and on each further one a worker with these roles."""
    folder.mkdir()
    with hosts(1 + len(roles)) as network, cluster_on(folder, cache, network, *roles) as processes:
        yield processes, network


def test_on_a_network_with_two_load_hosts(lab: Lab, cache: Path, tmp_path: Path) -> None:
    """PostgreSQL listens at its host's address; rows change there while the load asks for them."""
    roles = ("server=1", "load=1", "load=1", "service=1")
    with on_network(cache, tmp_path / "cluster", *roles) as (processes, network):
        options = (*UNENCRYPTED, "--load-hosts", "2")
        stack = honest(lab, "random-item")
        arguments = arguments_on(lab, processes, stack, options=options, service="postgresql", seconds=2)
        with under_way(lab, *arguments, prefix=network[0].prefix) as process:
            postmaster = wait_for(lambda: _postmaster(processes, network[4].address), "it listens there")
            out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err
        wait_for(lambda: not run_there(processes) and not postmaster.is_running(), "all on the hosts has ended")
    _, trial = record_of(lab)
    assert trial["failure"] is None and len(trial["load_hosts"]) == 2
    assert trial["engine"]["verified"] == sum(host["verified"] for host in trial["load_hosts"]) > 0
    changes = trial["row_changes"]
    assert changes["answers"] > changes["old"] == 0 < changes["in_window"]
    assert trial["freshness"]["stale"] == 0


@needs("haproxy")
def test_two_lanes_of_three_hosts_with_a_balancer_each(lab: Lab, cache: Path, tmp_path: Path) -> None:
    """The balancer is on the host of services: it listens there, and is metered apart from the stack."""
    roles = ("server=1", "load=1", "service=1 balancer=1") * 2
    with on_network(cache, tmp_path / "cluster", *roles) as (processes, network):
        stack = honest(lab, "random-item")
        arguments = arguments_on(lab, processes, stack, options=UNENCRYPTED, service="postgresql", seconds=1, blocks=2)
        file = Path(arguments[1])
        file.write_text(f'balancer = "haproxy"\ninstances = 2\n{file.read_text()}')
        with under_way(lab, *arguments, prefix=network[0].prefix) as process:
            out, err = process.communicate(timeout=120)
        assert process.returncode == 0, out + err
        wait_for(lambda: not run_there(processes), "all on the hosts has ended")
    first, *trials = record_of(lab)
    for lane in first["lanes"]:
        assert [host["roles"] for host in lane["hosts"]] == [["server"], ["load"], ["service", "balancer"]]
    assert {trial["lane"] for trial in trials} == {1, 2}
    for trial in trials:
        assert trial["failure"] is None and trial["engine"]["verified"] > 0
        assert trial["server"]["processes"] >= 2 and trial["balancer"]["processes"] >= 1
        assert trial["balancer"]["peak_rss_bytes"] > 0 and trial["balancer_machine"]["window_seconds"] > 0


def test_a_service_host_that_is_lost(lab: Lab, cache: Path, tmp_path: Path) -> None:
    """The trial is not run, and nothing is left on any host."""
    with on_network(cache, tmp_path / "cluster", *ROLES) as (processes, network):
        stack = honest(lab, "random-item")
        arguments = arguments_on(lab, processes, stack, options=UNENCRYPTED, service="postgresql", seconds=50)
        with under_way(lab, *arguments, prefix=network[0].prefix) as process:
            wait_for(lambda: runs(processes, "fairtrial-engine run") and _begun(lab), "a load runs")
            postmaster = wait_for(lambda: _postmaster(processes, network[3].address), "the database runs")
            processes.workers[2].kill()
            _, err = process.communicate(timeout=120)
        assert process.returncode == 4, err
        wait_for(lambda: not run_there(processes) and not postmaster.is_running(), "all on the hosts has ended")
    _, trial = record_of(lab)
    assert trial["failure"]["stage"] == "host" and "is lost" in trial["failure"]["reason"]
