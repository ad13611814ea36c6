"""What is lost on the way: the trial under way is not run, the rest goes on, and nothing is left running anywhere."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.clusters import Processes
from tests.cluster.there import run_there, runs, under_way
from tests.command_line import SPARING, Lab
from tests.lab.lanes.conftest import arguments_on, cluster
from tests.waiting import wait_for

STACK, ENGINE = "server.py", "fairtrial-engine run"


@pytest.fixture
def own(cache: Path, tmp_path: Path) -> Iterator[Processes]:
    """A cluster of a scheduler and no worker yet, for a test that ends some of it."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with cluster(folder, cache) as processes:
        yield processes


def trials_of(lab: Lab) -> list[dict[str, Any]]:
    (results,) = (lab.folder / "results").glob("*")
    return [json.loads(line) for line in (results / "record.jsonl").read_text().splitlines()[1:]]


def under_load(processes: Processes) -> bool:
    return runs(processes, STACK) and runs(processes, ENGINE)


@pytest.mark.parametrize("lost", ["server", "load"])
def test_a_worker_that_is_lost_under_load(lab: Lab, own: Processes, lost: str) -> None:
    workers = {role: own.start_worker(f"{role}=1") for role in ("server", "load")}
    own.wait_for_workers(2)
    arguments = arguments_on(lab, own, lab.stack("one"), lab.stack("two"), seconds=20)
    with under_way(lab, *arguments) as process:
        wait_for(lambda: under_load(own), "a load is under way")
        workers[lost].kill()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 4, err  # nothing was measured
    first, second = trials_of(lab)
    assert first["failure"]["stage"] == second["failure"]["stage"] == "host"
    assert "is lost" in first["failure"]["reason"]
    assert "its block began on lane 1" in second["failure"]["reason"]
    assert "is left out" in out and "not run" in out and "Traceback" not in out + err
    wait_for(lambda: not run_there(own), "all that ran on the hosts has ended")


@pytest.mark.parametrize("load_hosts", [0, 2])
def test_the_other_lane_goes_on(lab: Lab, own: Processes, load_hosts: int) -> None:
    """Whether it has one host, which is lost, or three, of which one that offers load is."""
    roles = ["load=1"] * 2 * load_hosts + (["server=1"] * 2 if load_hosts else ["server=1 load=1"] * 2)
    workers = [own.start_worker(each) for each in roles]
    own.wait_for_workers(len(roles))
    options = ("--load-hosts", str(load_hosts)) if load_hosts else ()
    arguments = arguments_on(lab, own, lab.stack("one"), options=options, load=SPARING, seconds=2, blocks=3)
    with under_way(lab, *arguments) as process:
        wait_for(lambda: under_load(own), "a load is under way")
        workers[0].kill()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 3, out + err
    trials = trials_of(lab)
    assert sorted(trial["index"] for trial in trials) == [1, 2, 3]
    failed = [trial for trial in trials if trial["failure"]]
    assert [trial["failure"]["stage"] for trial in failed] == ["host"]
    assert len({trial["lane"] for trial in trials if not trial["failure"]}) == 1
    wait_for(lambda: not run_there(own), "all that ran on the hosts has ended")


@pytest.mark.parametrize("lost", [0, 1])
def test_one_of_two_load_hosts_is_lost(lab: Lab, own: Processes, lost: int) -> None:
    """Never a smaller load: its trial is not run."""
    own.start_worker("server=1")
    loads = [own.start_worker("load=1") for _ in range(2)]
    own.wait_for_workers(3)
    arguments = arguments_on(lab, own, lab.stack("one"), options=("--load-hosts", "2"), seconds=20)
    with under_way(lab, *arguments) as process:
        wait_for(lambda: under_load(own), "a load is under way")
        loads[lost].kill()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 4, out + err
    (trial,) = trials_of(lab)
    assert trial["failure"]["stage"] == "host" and "is lost" in trial["failure"]["reason"]
    assert trial["engine"] is None and trial["load_hosts"] == []
    assert trial["stage_seconds"]["load"] < 15
    wait_for(lambda: not run_there(own), "all that ran on the hosts has ended")


def test_a_scheduler_that_is_killed(lab: Lab, own: Processes) -> None:
    for role in ("server", "load"):
        own.start_worker(f"{role}=1")
    own.wait_for_workers(2)
    with under_way(lab, *arguments_on(lab, own, lab.stack("one"), blocks=3, seconds=20)) as process:
        wait_for(lambda: under_load(own), "a load is under way")
        own.scheduler.kill()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 4 and "Traceback" not in out + err
    assert [trial["failure"]["stage"] for trial in trials_of(lab)] == ["host"]
    assert "no lane is left" in err
    wait_for(lambda: not run_there(own), "all that ran on the hosts has ended")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_lab_that_is_interrupted_or_killed(lab: Lab, lane: Processes, number: signal.Signals) -> None:
    with under_way(lab, *arguments_on(lab, lane, lab.stack("one"), seconds=20)) as process:
        wait_for(lambda: under_load(lane), "a load is under way")
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    wait_for(lambda: not run_there(lane), "all that ran on the hosts has ended")
    if number == signal.SIGINT:
        assert process.returncode == 130, err
        assert [trial["failure"]["stage"] for trial in trials_of(lab)] == ["interrupted"]
        assert "Traceback" not in out + err


def test_a_worker_that_is_lost_in_preparation(lab: Lab, own: Processes) -> None:
    server = own.start_worker("server=1 load=1")
    own.wait_for_workers(1)
    stack = lab.stack("one", build=[["sleep", "77"]])
    with under_way(lab, *arguments_on(lab, own, stack)) as process:
        wait_for(lambda: runs(own, "sleep 77"), "its stack is being built")
        server.kill()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 4 and "is lost" in err
    assert not list((lab.folder / "results").glob("*"))
    wait_for(lambda: not run_there(own), "all that ran on the hosts has ended")
