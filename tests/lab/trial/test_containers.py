"""Contenders in containers, on trial with a stand-in for docker whose servers are children of its daemon."""

import json
import os
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks import container_program as programs
from fairtrial.catalog.stacks.container_program import container_program, new_name
from fairtrial.catalog.stacks.container_run import RunningContainer
from fairtrial.catalog.stacks.kinds import assert_program, make_ready, start_stack
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.stacks.requests import BuildRequest, StartRequest
from fairtrial.engine.container_tree import ContainerTree
from fairtrial.engine.guard import NO_PLACES, Places
from fairtrial.engine.process_tree import cpu_seconds_below, processes_below
from tests.command_line import Lab
from tests.lab.trial.conftest import docker_in

CONTENDERS = """
[contenders.shop]
image = "hello"
container_port = 8080
"""


def started(name: str, folder: Path, places: Places = NO_PLACES) -> RunningContainer:
    stack = Stack(
        name="shop", folder=folder, title="x", services=["none"], image=name, container_port=80, ready_within_seconds=9
    )
    ready = make_ready(BuildRequest(stack, folder / "log", lambda: None))
    cpus = sorted(os.sched_getaffinity(0))[-1:]
    request = StartRequest(stack, Variant(), ready.folder, settings={}, cpus=cpus, log=folder / "log", places=places)
    return start_stack(request)


def test_a_container_is_tried_metered_and_removed(docker: Path, shared_lab: Lab) -> None:
    file = shared_lab.experiment("shop", workload="plaintext", service="none", seconds=0.3, blocks=1, more=CONTENDERS)
    finished = shared_lab.fairtrial("run", file)
    (condition,) = finished.result["conditions"]
    assert condition["outcome"] == "valid", finished.out
    (trial,) = condition["trials"]
    assert trial["server"]["cpu_seconds"] > 0
    line = finished.record[1]
    assert line["not_measured"] == ""
    assert "listens-on-host" in {clause["name"] for clause in line["contract"] if clause["passed"]}
    (identity,) = finished.result["stacks"]
    digest = b"hello".hex().ljust(64, "0")
    assert (identity["origin"], identity["content_sha256"]) == ("image", digest)
    assert identity["versions"]["image hello"] == f"sha256:{digest}"
    assert "in a container: hello" in finished.out
    assert list((docker / "containers").iterdir()) == []


@pytest.mark.usefixtures("engine", "cache", "docker")
def test_a_daemons_container_is_found_though_no_guard_is_above_it(tmp_path: Path) -> None:
    running = started("hello", tmp_path)
    try:
        assert isinstance(running.root, ContainerTree)
        assert [each.pid for each in processes_below(running.root)] == [running.root.pid]
        assert running.root.pid not in {each.pid for each in processes_below(running.process.pid)}
        assert sum(cpu_seconds_below(running.root)) > 0
        assert running.listening() == {("127.0.0.1", running.port)}
    finally:
        assert not running.process.stop().forced


@pytest.mark.usefixtures("engine", "cache")
def test_a_container_finds_files_and_host_names(docker: Path, tmp_path: Path) -> None:
    running = started("hello", tmp_path, Places({"/data": tmp_path}, {"db": "127.0.0.1"}))
    try:
        [container] = (docker / "containers").iterdir()
        options = json.loads(container.read_text())["labels"]
        assert {"db:127.0.0.1", f"{tmp_path}:/data:ro"} <= set(options)
    finally:
        running.process.stop()


@pytest.mark.usefixtures("docker")
def test_docker_knows_no_network_of_the_runs_own(tmp_path: Path) -> None:
    described = {"title": "x", "services": ["none"], "image": "hello"}
    stack = Stack(name="shop", folder=tmp_path, container_network="host", network="own", **described)
    with pytest.raises(Problem, match="docker's daemon runs containers in the machine's network"):
        assert_program(stack)


@pytest.mark.usefixtures("engine", "cache", "docker")
def test_a_container_that_dies_at_once_shows_the_end_of_its_log(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="ended with status 3 before") as problem:
        started("dies", tmp_path)
    assert "the last line" in problem.value.reason
    assert "\x1b" not in problem.value.reason and len(problem.value.reason) < 3000


@pytest.mark.usefixtures("engine", "cache", "docker")
def test_a_container_of_which_inspect_says_that_its_process_is_0_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="the container program says"):
        started("zero", tmp_path)


@pytest.mark.usefixtures("engine", "cache")
def test_removing_that_hangs_is_given_up_and_told(
    docker: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "REMOVED_WITHIN_SECONDS", 0.5)
    running = started("stuck", tmp_path)
    with pytest.raises(Problem, match=r"was not removed within 0\.5 s") as problem:
        running.process.stop()
    assert "rm -f fairtrial-" in problem.value.remedy
    for each in (docker / "containers").iterdir():
        each.unlink()


def test_what_a_dead_lab_left_is_removed_and_nothing_else(docker: Path) -> None:
    machine = new_name().split("-")[1]
    user = os.geteuid()
    dead = f"fairtrial-{machine}-{user}-4194305-1-{'0' * 12}"
    others = [new_name(), f"fairtrial-00000000-{user}-4194305-1-{'0' * 12}", "shop"]
    for name in [dead, *others]:
        described = {"image": "hello", "really": 0, "pid": 0, "labels": [f"fairtrial.user={user}"]}
        (docker / "containers" / name).write_text(json.dumps(described))
    assert container_program().sweep() == [dead]
    left = sorted(each.name for each in (docker / "containers").iterdir())
    assert left == sorted(others)
    for name in others:
        (docker / "containers" / name).unlink()


def test_without_a_daemon_or_a_program_the_remedy_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN", str(tmp_path))
    monkeypatch.setenv(programs.CHOICE, str(docker_in(tmp_path)))
    with pytest.raises(Problem, match="to the Docker daemon") as problem:
        container_program()
    assert "start docker's daemon" in problem.value.remedy
    monkeypatch.delenv(programs.CHOICE)
    (tmp_path / "docker").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Problem, match=r"`docker` is not on .*`podman`"):
        container_program()
