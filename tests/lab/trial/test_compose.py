"""Compose files on trial, with a stand-in for docker: one service answers, and all of the project is counted."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.compose_override import override
from fairtrial.catalog.stacks.compose_program import ComposeProgram, compose_program
from fairtrial.catalog.stacks.compose_project import ComposeFile, read_project
from fairtrial.catalog.stacks.container_program import container_program
from fairtrial.catalog.stacks.kinds import make_ready, start_stack
from fairtrial.catalog.stacks.model import Stack, Variant
from fairtrial.catalog.stacks.requests import BuildRequest, StartRequest
from fairtrial.engine.container_tree import ContainerTree
from fairtrial.engine.process_tree import processes_below
from fairtrial.experiment.origins import ComposeOrigin
from fairtrial.experiment.ready import Ready
from fairtrial.lab.trial.ready_stack import ready_stack
from tests.command_line import Lab

API = {"image": "hello", "ports": ["8080:80"], "container_name": "shop", "volumes": ["data:/data"]}
SHOP = {
    "services": {"api": API, "db": {"build": "db", "ports": ["5432:5432"], "restart": "always"}},
    "volumes": {"data": {"name": "of-the-user"}, "given": {"external": True}},
    "networks": {"inner": None},
}
CONTENDERS = """
[contenders.shop]
compose = "shop/compose.yaml"
compose_service = "api"
ready = { path = "/health" }
"""


def written(folder: Path, document: object = SHOP) -> Path:
    (folder / "db").mkdir(parents=True)
    (folder / "db" / "Dockerfile").write_text("FROM idle\n")
    (folder / "compose.yaml").write_text(json.dumps(document))
    return folder


def a_stack(folder: Path, **said: Any) -> Stack:
    said = {"compose_service": "api", "ready_within_seconds": 9, **said}
    return Stack(name="shop", folder=folder, title="x", services=["none"], compose="compose.yaml", **said)


def test_a_project_is_tried_counted_as_one_and_removed(docker: Path, shared_lab: Lab) -> None:
    written(shared_lab.folder / "shop")
    (docker / "volume" / "of-the-user").touch()
    file = shared_lab.experiment("shop", workload="plaintext", service="none", seconds=0.5, more=CONTENDERS)
    finished = shared_lab.fairtrial("run", file, "--verbose")
    (condition,) = finished.result["conditions"]
    assert condition["outcome"] == "valid", finished.out
    line = finished.record[1]
    assert line["not_measured"] == ""
    assert line["server"]["processes"] == 2, "the one that answers, and its database"
    (identity,) = finished.result["stacks"]
    assert (identity["origin"], identity["counted_together"]) == ("compose", ["api", "db"])
    assert identity["versions"]["image api"] == f"sha256:{b'hello'.hex().ljust(64, '0')}"
    assert "image db" in identity["versions"] and "Compose" in identity["versions"]["compose"]
    assert "services together: api, db." in " ".join(finished.out.split())
    assert "containers of compose.yaml, of which" in finished.out
    assert finished.results is not None
    assert list(finished.results.glob("**/*.compose.yaml")) == []
    left = {kind: [each.name for each in (docker / kind).iterdir()] for kind in ("containers", "network", "volume")}
    assert left == {"containers": [], "network": [], "volume": ["of-the-user"]}


@pytest.mark.usefixtures("engine", "cache")
def test_every_service_is_found_and_bound_and_a_password_is_in_no_file(docker: Path, tmp_path: Path) -> None:
    stack = a_stack(written(tmp_path / "shop"))
    ready = make_ready(BuildRequest(stack, tmp_path / "log", lambda: None))
    cpus = sorted(os.sched_getaffinity(0))[-1:]
    running = start_stack(
        StartRequest(
            stack,
            Variant(),
            ready.folder,
            settings={"DATABASE_URL": "postgres://shop:secret@db/shop", "PRICE": "5 $HOME"},
            cpus=cpus,
            log=tmp_path / "log",
        )
    )
    try:
        (over,) = tmp_path.glob("*.compose.yaml")
        assert "secret" not in over.read_text()
        assert over.stat().st_mode & 0o077 == 0
        (beside,) = running.beside
        assert isinstance(running.root, ContainerTree) and isinstance(beside, ContainerTree)
        environment = Path(f"/proc/{running.root.pid}/environ").read_bytes().split(b"\0")
        assert {b"DATABASE_URL=postgres://shop:secret@db/shop", b"PRICE=5 $HOME"} <= set(environment)
        for process in processes_below(running.root, beside):
            assert sorted(os.sched_getaffinity(process.pid)) == cpus
        assert running.listening() == {("127.0.0.1", running.port)}
        os.kill(running.root.pid, 9)
        while running.process.status() is None:
            pass
        assert processes_below(beside), "its database goes on"
    finally:
        running.process.stop()
    assert list((docker / "containers").iterdir()) == list(tmp_path.glob("*.compose.yaml")) == []


@pytest.mark.usefixtures("engine", "cache", "docker")
def test_a_service_that_ends_at_once_shows_its_log(tmp_path: Path, snapshot: object) -> None:
    stack = a_stack(written(tmp_path / "shop", {"services": {"api": API | {"image": "dies"}}}))
    ready = make_ready(BuildRequest(stack, tmp_path / "log", lambda: None))
    with pytest.raises(Problem, match="before it was ready") as problem:
        start_stack(StartRequest(stack, Variant(), ready.folder, settings={}, cpus=[], log=tmp_path / "log"))
    assert "the last line" in problem.value.reason
    (tmp_path / "shop" / "compose.yaml").write_text("{}")
    with pytest.raises(Problem) as error:
        start_stack(StartRequest(stack, Variant(), ready.folder, settings={}, cpus=[], log=tmp_path / "log"))
    assert str(error.value) == snapshot


@pytest.mark.usefixtures("docker")
def test_without_a_new_compose_the_contender_is_skipped_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    assert compose_program(container_program()).version == "Docker Compose version v2.30.0"
    monkeypatch.setenv("OLD_COMPOSE", "2.24.3")
    ready = ready_stack(BuildRequest(a_stack(written(tmp_path / "shop")), tmp_path / "log", lambda: None))
    assert ready.failure is not None and ready.failure.stage == "requirements"
    assert ready.failure.reason == snapshot
    assert ready.failure.remedy == snapshot


class Says(ComposeProgram):
    """Understands a compose file as what a test says."""

    document: Any

    def ask(self, *_words: str, **_limits: Any) -> str:
        return json.dumps(self.document)


def project_by(program: ComposeProgram, stack: Stack) -> ComposeFile:
    assert isinstance(stack.origin, ComposeOrigin)
    return read_project(stack, stack.origin, program)


def project_of(folder: Path, api: object, **said: Any) -> ComposeFile:
    folder.joinpath("compose.yaml").touch()
    program = Says(("compose",), "")
    object.__setattr__(program, "document", api if isinstance(api, dict) and "services" in api else as_api(api))
    return project_by(program, a_stack(folder, **said))


def as_api(api: object) -> dict[str, object]:
    return {"services": {"api": api}}


@pytest.mark.parametrize(
    ("api", "said", "port"),
    [
        ({"image": "a", "ports": ["8080:80"]}, {}, 80),
        ({"image": "a", "ports": ["127.0.0.1:8080:80/tcp"]}, {}, 80),
        ({"image": "a", "ports": [{"target": 80, "published": "8080"}]}, {}, 80),
        ({"image": "a", "expose": ["3000"]}, {}, 3000),
        ({"image": "a", "ports": [80, 443]}, {"container_port": 443}, 443),
        ({"image": "a", "network_mode": "host"}, {"port": 8080}, None),
        ({"build": {"context": "."}, "ports": [80]}, {"compose_service": None}, 80),
    ],
)
def test_the_port_is_found(tmp_path: Path, api: object, said: dict[str, Any], port: int | None) -> None:
    project = project_of(tmp_path, api, **said)
    assert (project.answers, project.container_port) == ("api", port)


@pytest.mark.parametrize(
    ("api", "said"),
    [
        ({"image": "a", "ports": [80, 443]}, {}),
        ({"image": "a", "ports": ["3000-3005"]}, {}),
        ({"image": "a"}, {}),
        ({"image": "a", "ports": [80]}, {"port": 80}),
        ({"image": "a", "ports": [80]}, {"ready": Ready(tcp=True)}),
        ({"image": "a", "network_mode": "host"}, {"container_port": 80}),
        ({"image": "a", "network_mode": "service:db"}, {}),
        ({"image": "a", "ports": [80], "scale": 2}, {}),
        ({"ports": [80]}, {}),
        ({"image": "--privileged", "ports": [80]}, {}),
        ({"image": "a"}, {"compose_service": "web"}),
        ({"services": {"a": {}, "b": {}}}, {"compose_service": None}),
        ({"services": {}}, {"compose_service": None}),
    ],
)
def test_what_cannot_be_tried_is_refused_with_file_and_key(
    tmp_path: Path, api: object, said: dict[str, Any], snapshot: object
) -> None:
    with pytest.raises(Problem) as error:
        project_of(tmp_path, api, **said)
    assert str(error.value) == snapshot


def test_a_missing_file_and_an_unreadable_answer_are_told(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"compose\.yaml: No such file"):
        project_by(Says(("compose",), ""), a_stack(tmp_path))
    for document in ([], {"services": []}, {"services": {"api": None}}):
        (tmp_path / "compose.yaml").touch()
        program = Says(("compose",), "")
        object.__setattr__(program, "document", document)
        with pytest.raises(Problem, match="has no services"):
            project_by(program, a_stack(tmp_path))


def test_podmans_containers_are_not_bound_twice_and_only_the_files_lists_are_replaced(tmp_path: Path) -> None:
    document = {
        "services": {
            "api": {"image": "a", "expose": [80]},
            "db": {"image": "b", "ports": [1], "logging": {"driver": "x"}},
        },
        "networks": {"inner": {"external": True}},
    }
    text = override(
        project_of(tmp_path, document),
        name="p",
        port=1234,
        command=["serve", "$HOME"],
        service_variables={},
        of_the_lab={},
        by_name=(),
        cpus=[0],
        is_podman=True,
    )
    assert "cpuset" not in text
    assert '"ports": ["127.0.0.1:1234:80"]' in text, "untagged: podman-compose leaves a tag that replaces nothing"
    assert '"ports": !reset []' in text
    assert text.count('"logging"') == 1
    assert '"command": ["serve", "$$HOME"]' in text
    assert "inner" not in text
