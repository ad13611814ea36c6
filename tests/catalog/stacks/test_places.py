"""Files at fixed places: where they come from, and what is said where the rights for them are missing."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks import rights
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.places import places_of
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.engine import guard
from tests.catalog.stacks.test_find import MANIFEST, stack

NOT_PERMITTED = "a mount namespace: Operation not permitted (os error 1)"


def found(folder: Path, more: str) -> Stack:
    return find_stacks([stack(folder, more + MANIFEST)])[folder.name]


def test_a_source_is_taken_from_the_build_and_what_leads_out_of_it_from_beside_the_source(
    tmp_path: Path, snapshot: object
) -> None:
    """The build may have made it; what lies outside of the folder is in no copy of it."""
    files = (
        'files = { "/data/made.json" = "made.json", "/data/items.json" = "../data/items.json", "/null" = "/dev/null" }'
    )
    mine = found(tmp_path / "mine", f'{files}\nhosts = {{ db = "127.0.0.1" }}\nnetwork = "own"\n')
    copy, data = tmp_path / "cache" / "copy", tmp_path / "data"
    copy.mkdir(parents=True)
    data.mkdir()
    (data / "items.json").touch()
    with pytest.raises(Problem) as error:
        places_of(mine, None, copy)
    assert str(error.value) == snapshot
    (copy / "made.json").touch()
    places = places_of(mine, None, copy)
    assert places.files == {
        "/data/made.json": copy / "made.json",
        "/data/items.json": data / "items.json",
        "/null": Path("/dev/null"),
    }
    assert places.hosts == {"db": "127.0.0.1"}


def test_files_of_a_container_lie_beside_its_dockerfile(tmp_path: Path) -> None:
    for name in ("data", "source"):
        (tmp_path / name).mkdir()
    described = {"title": "x", "services": ["none"], "dockerfile": ".", "container_port": 80}
    it = Stack(name="x", folder=tmp_path / "source", files={"/d": "../data"}, **described)
    assert places_of(it, None, tmp_path / "cache").files == {"/d": tmp_path / "data"}


def test_of_a_program_that_is_run_where_it_lies_all_are_relative_to_its_directory(tmp_path: Path) -> None:
    mine = found(tmp_path / "mine", 'directory = "../shop"\nfiles = { "/data/items.json" = "../items.json" }\n')
    (tmp_path / "items.json").touch()
    (tmp_path / "shop").mkdir()
    assert places_of(mine, None, tmp_path / "shop").files == {"/data/items.json": tmp_path / "items.json"}


def test_a_stack_without_such_keys_needs_no_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights, "why_no_network_namespace", lambda: pytest.fail("nobody asked for it"))
    monkeypatch.setattr(guard, "guard_binary", lambda: pytest.fail("nobody asked for it"))
    assert installed_versions(found(tmp_path / "mine", "")) == {}


@pytest.mark.parametrize(
    "key",
    ['network = "own"', 'hosts = { db = "127.0.0.1" }', 'files = { "/data" = "." }'],
)
def test_a_right_that_is_missing_is_a_requirement_that_is_not_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, snapshot: object
) -> None:
    refusing = tmp_path / "guard"
    refusing.write_text(f"#!/bin/sh\necho 'fairtrial-guard: {NOT_PERMITTED}' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setattr(guard, "guard_binary", lambda: refusing)
    monkeypatch.setattr(rights, "why_no_network_namespace", lambda: "not here")
    with pytest.raises(Problem) as problem:
        installed_versions(found(tmp_path / "mine", f"{key}\n"))
    assert problem.value.reason == snapshot
    assert "CAP_SYS_ADMIN" in problem.value.remedy


@pytest.mark.usefixtures("engine")
def test_the_rights_that_there_are_are_found(tmp_path: Path) -> None:
    """Whatever the guard says here, it says it of the machine: the places themselves are no hindrance."""
    mine = found(tmp_path / "mine", 'files = { "/data" = "." }\nhosts = { db = "127.0.0.1" }\n')
    try:
        rights.assert_rights(mine)
    except Problem as problem:
        assert "namespace: " in problem.reason or "root folder" in problem.reason  # noqa: PT017
