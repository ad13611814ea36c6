"""Folders of what ships with Fairtrial and of what it keeps, and ports on loopback."""

import socket
from pathlib import Path

import pytest

from fairtrial.base import locations
from fairtrial.base.locations import cache_folder, place_of_docs, shipped
from fairtrial.base.loopback import LOOPBACK, free_port, listens


def test_the_environment_decides_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path / "cache"))
    assert cache_folder() == tmp_path / "cache"


def test_without_it_the_cache_is_where_the_system_keeps_a_users_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FAIRTRIAL_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "fairtrial"


@pytest.mark.parametrize(("name", "file"), [("engine", "Cargo.toml"), ("experiments", "quickstart.toml")])
def test_a_checkout_ships_its_own_folders(name: str, file: str) -> None:
    assert (shipped(name) / file).is_file()


def test_an_installed_package_ships_what_is_bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locations, "PACKAGE", tmp_path)
    (tmp_path / "bundled" / "stacks").mkdir(parents=True)
    assert shipped("stacks") == tmp_path / "bundled" / "stacks"


def test_where_pages_lie_is_said_unless_they_lie_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder `docs` of somebody else's holds none of them."""
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    assert place_of_docs("see docs/load.md") == f"docs/ is {shipped('docs')}"
    assert place_of_docs("see the log") == ""
    monkeypatch.chdir(shipped("docs").parent)
    assert place_of_docs("see docs/load.md") == ""


def test_a_free_port_has_no_listener_until_somebody_listens() -> None:
    port = free_port()
    assert not listens(port)
    with socket.create_server((LOOPBACK, port)):
        assert listens(port)
    assert not listens(port)
