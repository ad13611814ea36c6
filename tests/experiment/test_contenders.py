"""Contenders that an experiment describes itself: what may be said of each shape, and which refs are tried."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.experiment.changes import with_settings
from fairtrial.experiment.contenders import Contender, slug_of
from fairtrial.experiment.files import load_experiment
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.ready import ANSWERED, HEALTH, Ready

RATIO = {"kind": "ratio", "id": "c", "text": "c", "at_least": 1}


def an_experiment(**more: Any) -> Experiment:
    file = {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["app"], "load": {"kind": "closed"}}
    return Experiment.model_validate(file | more)


@pytest.mark.parametrize(
    "described",
    [
        {"folder": "../shop"},
        {"folder": ".", "command": ["./shop"], "build": [["make"]], "env": {"A": "b"}, "port": 8080},
        {"directory": "../shop", "command": ["uvicorn", "app:app"], "ready": {"tcp": True}},
        {"directory": ".", "command": ["a"], "tls": True, "http2": True, "http3": True},
        {"folder": ".", "command": ["a"], "tls": True},
        {"url": "http://127.0.0.1:8080", "ready": {"path": "/healthz", "status": 204}},
        {"url": "https://shop.example", "addresses": "all"},
        {"folder": ".", "git": "main..HEAD"},
        {"image": "registry.example:5000/shop:1.2", "container_port": 8080, "env": {"A": "b"}},
        {"dockerfile": "../shop", "container_network": "host", "port": 8080, "ready": {"tcp": True}},
        {"image": "shop", "container_port": 80, "hosts": {"db": "127.0.0.1"}, "files": {"/data": "data"}},
        {"dockerfile": ".", "container_network": "host", "port": 8080, "network": "own"},
        {"folder": ".", "command": ["a"], "build_user": "own"},
        {"compose": "shop/compose.yaml", "compose_service": "api", "container_port": 8080},
        {"compose": "compose.yaml", "port": 8080},
    ],
)
def test_every_shape_can_be_described(described: dict[str, Any]) -> None:
    described = {"title": "a shop"} | described
    contender = Contender.model_validate(described)
    assert contender == Contender.model_validate(contender.model_dump())


@pytest.mark.parametrize(
    "described",
    [
        {},
        {"folder": ".", "url": "http://127.0.0.1"},
        {"directory": "."},
        {"directory": ".", "command": ["a"], "build": [["make"]]},
        {"folder": ".", "port": 8080},
        {"folder": ".", "ready": {"tcp": True}},
        {"url": "http://127.0.0.1:1", "env": {"A": "b"}},
        {"url": "127.0.0.1:8080"},
        {"url": "http://127.0.0.1:1", "addresses": "some"},
        {"directory": ".", "command": ["a"], "addresses": "all"},
        {"image": "shop", "container_port": 80, "addresses": "all"},
        {"compose": "compose.yaml", "addresses": "all"},
        {"url": "ftp://127.0.0.1"},
        {"url": "http://a b:1"},
        {"url": "http://127.0.0.1:99999"},
        {"url": "http://127.0.0.1:8080/items"},
        {"directory": ".", "command": ["a"], "refs": ["a", "b"]},
        {"folder": ".", "refs": ["main"]},
        {"folder": ".", "refs": ["a/b", "a-b"]},
        {"folder": ".", "refs": ["main", "HEAD"], "git": "main..HEAD"},
        {"folder": ".", "refs": ["main", "--upload-pack=x"]},
        {"image": "shop"},
        {"image": "--privileged", "container_port": 80},
        {"image": "shop", "dockerfile": ".", "container_port": 80},
        {"image": "shop", "container_port": 80, "build": [["make"]]},
        {"image": "shop", "container_port": 80, "port": 80},
        {"image": "shop", "container_port": 80, "ready": {"tcp": True}},
        {"image": "shop", "container_network": "host", "container_port": 80},
        {"image": "shop", "container_port": 80, "env": {"A=B": "c"}},
        {"directory": ".", "command": ["a"], "container_port": 80},
        {"folder": ".", "container_network": "host"},
        {"compose": "c", "image": "a"},
        {"compose": "c", "container_network": "host"},
        {"compose": "c", "port": 80, "container_port": 80},
        {"compose": "c", "compose_service": "--x"},
        {"compose": "c", "build": [["make"]]},
        {"compose": "c", "hosts": {"db": "127.0.0.1"}},
        {"image": "a", "container_port": 80, "compose_service": "api"},
        {"folder": ".", "git": "main"},
        {"folder": ".", "git": "main...HEAD"},
        {"image": "shop", "container_port": 80, "network": "own"},
        {"image": "shop", "container_port": 80, "build_user": "own"},
        {"directory": ".", "command": ["a"], "http3": True},
        {"url": "https://127.0.0.1:1", "tls": True},
        {"image": "shop", "container_port": 80, "tls": True},
    ],
)
def test_what_contradicts_itself_is_refused(described: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        Contender.model_validate(described)
    assert [each["msg"] for each in error.value.errors()] == snapshot


def test_credentials_in_a_url_are_refused_and_not_shown(tmp_path: Path, snapshot: object) -> None:
    file = tmp_path / "x.toml"
    file.write_text('name = "x"\ntitle = "x"\nworkload = "plaintext"\nstacks = ["app"]\nload.kind = "closed"\n')
    with file.open("a") as more:
        more.write('contenders.app.url = "http://me:secret@127.0.0.1"\n')
    with pytest.raises(Problem) as problem:
        load_experiment(file)
    assert str(problem.value) == snapshot
    assert "secret" not in problem.value.reason


@pytest.mark.parametrize(
    ("ref", "slug"),
    [
        ("main", "main"),
        ("HEAD~1", "head-1"),
        ("feature/x", "feature-x"),
        ("v1.2", "v1-2"),
        ("default", "ref-default"),
        ("6da5" * 10, "6da56da56da5"),
    ],
)
def test_a_ref_is_named_so_that_a_variant_can_be(ref: str, slug: str) -> None:
    assert slug_of(ref) == slug


def test_a_contender_of_several_refs_is_tried_at_each_of_them() -> None:
    described = {"folder": ".", "refs": ["main", "HEAD", "v1.2"]}
    of_all = an_experiment(contenders={"app": described}, claims=[RATIO | {"of": "app:head", "to": "app:main"}])
    assert list(map(str, of_all.stacks)) == ["app:main", "app:head", "app:v1-2"]
    of_two = an_experiment(contenders={"app": described}, stacks=["app:v1-2@sqlite", "node-http"])
    assert list(map(str, of_two.stacks)) == ["app:v1-2@sqlite", "node-http"]


def test_without_stacks_all_contenders_of_the_file_are_tried(tmp_path: Path, snapshot: object) -> None:
    contenders = {"shop": {"folder": "."}, "app": {"folder": ".", "git": "main..HEAD"}}
    file = {"name": "x", "title": "x", "workload": "plaintext", "load": {"kind": "closed"}}
    experiment = Experiment.model_validate({**file, "contenders": contenders})
    assert [str(stack) for stack in experiment.stacks] == ["shop", "app:main", "app:head"]
    assert [str(stack) for stack in Experiment.model_validate(experiment.model_dump()).stacks] == [
        "shop",
        "app:main",
        "app:head",
    ]

    broken = tmp_path / "list.toml"
    broken.write_text('name = "x"\ntitle = "x"\nworkload = "plaintext"\n[load]\n[[contenders]]\nfolder = "."\n')
    with pytest.raises(Problem) as caught:
        load_experiment(broken)
    assert caught.value.reason.replace(str(tmp_path), "") == snapshot


def test_an_experiment_with_contenders_can_be_changed() -> None:
    """It is read again from what it holds."""
    contenders = {"app": {"folder": ".", "git": "main..HEAD"}, "other": {"url": "http://127.0.0.1:1"}}
    experiment = an_experiment(contenders=contenders, stacks=["app", "other"])
    changed, left_out = with_settings(experiment, blocks=7, seed=None, quick=True)
    assert (changed.blocks, changed.stacks, left_out) == (7, experiment.stacks, [])
    assert changed.contenders == experiment.contenders


@pytest.mark.parametrize(
    ("said", "words"),
    [({}, "name what to ask for"), ({"path": "/", "tcp": True}, "leave one of them out"), ({"path": "health"}, "path")],
)
def test_what_ready_means_is_said_in_one_way(said: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Ready.model_validate(said)


def test_ready_in_words() -> None:
    assert [str(each) for each in (HEALTH, ANSWERED, Ready(tcp=True))] == [
        "GET /health answers 200",
        "GET / is answered",
        "its port accepts connections",
    ]
