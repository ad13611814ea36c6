"""Folders that are made once."""

import shutil
from pathlib import Path

import pytest

from fairtrial.base.cache.digest import folder_sha256, source_files
from fairtrial.base.cache.once import made_once
from fairtrial.base.problem import Problem


def test_made_once_and_again_after_it_was_removed(cache: Path) -> None:
    made: list[Path] = []
    first = made_once("test", "thing", "a" * 64, made.append)
    assert made_once("test", "thing", "a" * 64, made.append) == first
    assert len(made) == 1
    shutil.rmtree(first)
    made_once("test", "thing", "a" * 64, made.append)
    assert len(made) == 2


def test_half_made_is_not_made(cache: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "part").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made_once("test", "half", "b" * 64, fail)
    assert not list((cache / "test").glob("half-*/*"))
    seen: list[list[Path]] = []
    made_once("test", "half", "b" * 64, lambda folder: seen.append(list(folder.iterdir())))
    assert seen == [[]]


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")
    monkeypatch.setenv("FAIRTRIAL_CACHE", str(occupied))
    with pytest.raises(Problem, match="cannot be written") as caught:
        made_once("test", "thing", "c" * 64, lambda folder: None)
    assert "FAIRTRIAL_CACHE" in caught.value.remedy


def test_the_digest_sees_content_names_and_modes_but_not_what_builds_leave(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    digests = [folder_sha256(tmp_path)]
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "x").write_text("x")
    assert folder_sha256(tmp_path) == digests[0]
    (tmp_path / "a.txt").chmod(0o755)
    digests.append(folder_sha256(tmp_path))
    (tmp_path / "a.txt").write_text("b")
    digests.append(folder_sha256(tmp_path))
    (tmp_path / "a.txt").rename(tmp_path / "b.txt")
    digests.append(folder_sha256(tmp_path))
    digests.append(folder_sha256(tmp_path, {"node": "22"}))
    assert len(set(digests)) == 5


def test_a_folder_named_target_is_source_unless_a_build_made_it(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "mod.rs").write_text("")
    assert [path.name for path in source_files(tmp_path)] == ["mod.rs"]
    (tmp_path / "Cargo.toml").write_text("")
    assert [path.name for path in source_files(tmp_path)] == ["Cargo.toml"]
