"""The seal of a made folder: damage is noticed, and what is as it was made is not read again."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fairtrial.base.cache import once
from fairtrial.base.cache.once import damage_of, find_made, made_once
from fairtrial.base.cache.seal import SEAL, damage, seal

SHA256 = "a" * 64


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sealed folder of a few files."""
    made = tmp_path / "made"
    fill(made)
    seal(made)
    return made


def fill(folder: Path) -> None:
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    (folder / "bin" / "app").write_text("x" * 1234)
    (folder / "bin" / "app").chmod(0o755)
    (folder / "link").symlink_to("bin/app")


def same_times(path: Path, content: str) -> None:
    """Other bytes, and of as many, with the modification time that the file had: nobody can set st_ctime."""
    before = path.stat()
    path.write_text(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def relink(path: Path) -> None:
    path.unlink()
    path.symlink_to("bin/other")


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (lambda folder: os.truncate(folder / "bin/app", 100), "bin/app: 100 bytes instead of 1,234"),
    "emptied": (lambda folder: os.truncate(folder / "bin/app", 0), "bin/app: 0 bytes instead of 1,234"),
    "removed": (lambda folder: (folder / "bin/app").unlink(), "bin/app: No such file or directory"),
    "poisoned": (lambda folder: same_times(folder / "bin/app", "y" * 1234), "bin/app: it has changed"),
    "no program": (lambda folder: (folder / "bin/app").chmod(0o644), "bin/app: it has changed"),
    "linked elsewhere": (lambda folder: relink(folder / "link"), "link: "),
    "no seal": (lambda folder: (folder / SEAL).write_text('{"files": '), f"{SEAL} cannot be read"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_told(folder: Path, name: str) -> None:
    assert damage(folder) is None
    spoil, words = DAMAGES[name]
    spoil(folder)
    assert words in (damage(folder) or "none")


def test_what_came_later_is_no_damage(folder: Path) -> None:
    """Programs leave compiled modules, numbers of processes and the like when they run."""
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "app.pyc").touch()
    assert damage(folder) is None


def test_a_copy_of_the_cache_is_as_good(folder: Path, tmp_path: Path) -> None:
    """A job of continuous integration restores one: times and modes are kept, st_ctime cannot be."""
    app = folder / "bin" / "app"
    before = app.stat()
    same_times(app, "x" * 1234)
    assert app.stat().st_ctime_ns != before.st_ctime_ns
    assert damage(folder) is None
    os.utime(app)
    assert damage(folder) is None


def test_what_an_older_version_made_is_taken_as_it_is_and_sealed(folder: Path) -> None:
    (folder / SEAL).write_text("")
    assert damage(folder) is None
    os.truncate(folder / "bin/app", 0)
    assert damage(folder) is not None


def test_what_is_damaged_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(tmp_path))
    monkeypatch.setattr(once, "_found_good", set())
    app = made_once("test", "thing", SHA256, fill) / "bin" / "app"
    os.truncate(app, 0)
    once._found_good.clear()  # as in the next process
    assert find_made("test", "thing", SHA256) is None
    assert "0 bytes instead of 1,234" in (damage_of("test", "thing", SHA256) or "none")
    assert made_once("test", "thing", SHA256, fill) / "bin" / "app" == app
    assert app.stat().st_size == 1234 and damage_of("test", "thing", SHA256) is None
