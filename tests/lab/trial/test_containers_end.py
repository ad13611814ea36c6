"""Ends of containers that nobody planned, and builds that fail: with a stand-in for docker."""

import json
import signal
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.container_run import with_remedy
from fairtrial.catalog.stacks.kinds import make_ready
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.lab.trial.ready_stack import ready_stack
from tests.command_line import Lab
from tests.lab.trial.test_compose import SHOP, written
from tests.lab.trial.test_interrupt import begin, records
from tests.waiting import PATIENCE_SECONDS, wait_for

CONTENDERS = """
[contenders.alone]
image = "hello"
container_port = 80

[contenders.project]
compose = "shop/compose.yaml"
compose_service = "api"
ready = { path = "/health" }
"""


def left(docker: Path) -> list[str]:
    return [each.name for kind in ("containers", "network", "volume") for each in (docker / kind).iterdir()]


def of_image(folder: Path) -> Stack:
    return Stack(name="x", folder=folder, title="x", services=["none"], image="hello", container_port=80)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_in_mid_trial(docker: Path, lab: Lab, number: signal.Signals) -> None:
    """What a killed lab leaves is removed by the next one."""
    written(lab.folder / "shop")
    file = lab.experiment(
        "alone", "project", workload="plaintext", service="none", seconds=0.2, blocks=500, more=CONTENDERS
    )
    with begin(lab, "run", file) as running:
        wait_for(lambda: len(records(lab)) > 2, "two trials have ended")
        wait_for(lambda: any("-api" in name or "-db" in name for name in left(docker)), "a project is up")
        running.send_signal(number)
        _, err = running.communicate(timeout=PATIENCE_SECONDS)
    if number == signal.SIGINT:
        assert running.returncode == 130, err
    else:
        wait_for(lambda: not up(docker), "its guards have ended what was up")
        assert left(docker) != []
        make_ready(BuildRequest(of_image(lab.folder), lab.folder / "log", lambda: None))
    assert left(docker) == []


def up(docker: Path) -> list[str]:
    return [each.name for each in (docker / "containers").iterdir() if json.loads(each.read_text())["really"]]


@pytest.mark.usefixtures("engine", "cache", "docker")
@pytest.mark.parametrize("key", ["dockerfile", "compose"])
def test_a_build_that_fails_shows_the_end_of_its_log(tmp_path: Path, key: str) -> None:
    written(tmp_path / "shop", SHOP)
    (tmp_path / "shop" / "db" / "Dockerfile").write_text("FROM hello\nRUN false\n")
    said = {"dockerfile": "db", "container_port": 80}
    if key == "compose":
        said = {"compose": "compose.yaml", "compose_service": "api"}
    stack = Stack(name="shop", folder=tmp_path / "shop", title="x", services=["none"], **said)
    ready = ready_stack(BuildRequest(stack, tmp_path / "log", lambda: None))
    assert ready.failure is not None and ready.failure.stage == "build"
    assert "ended with status 1" in ready.failure.reason
    assert 'STEP "RUN false": exit status 1' in ready.failure.reason
    assert str(tmp_path / "log") in ready.failure.remedy


@pytest.mark.usefixtures("docker")
def test_the_contract_of_a_container_is_checked(lab: Lab) -> None:
    manifest = 'title = "x"\nworkloads = ["plaintext"]\nservices = ["none"]\n'
    for name, how in (
        ("shop", 'image = "hello"\ncontainer_port = 80'),
        ("broken", 'dockerfile = "."\ncontainer_port = 80'),
    ):
        (lab.stacks / name).mkdir()
        (lab.stacks / name / "stack.toml").write_text(manifest + how)
    (lab.stacks / "broken" / "Dockerfile").write_text("FROM zero\n")
    finished = lab.fairtrial("check", "shop", "broken", "--stacks", lab.stacks)
    assert finished.status != 0
    assert "shop: all" in finished.out and "clauses hold" in finished.out
    assert "does not run" in finished.err


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("crun: setrlimit `RLIMIT_NOFILE`: Operation not permitted: OCI permission denied", "--ulimit nofile=4096"),
        ("crun: setrlimit (RLIM_MEMLOCK): Operation not permitted: OCI permission denied", "--cgroups=disabled"),
        ("crun: cgroups in hybrid mode not supported, drop all controllers from cgroupv2", "systemd.unified_cgroup"),
        ('slirp4netns failed: open("/dev/net/tun"): Permission denied', 'container_network = "host"'),
        ("the last line of a program that has its own troubles", "see its log"),
    ],
)
def test_what_the_machine_lacks_is_told_with_a_remedy(said: str, remedy: str) -> None:
    problem = with_remedy(Problem(f"it ended with status 126 before it was ready:\nError: {said}", "see its log: x"))
    assert said in problem.reason
    assert remedy in problem.remedy
    assert problem.remedy.endswith("see its log: x")
