"""Folders that are made once."""

import errno
import multiprocessing
import os
import shutil
import time
from hashlib import sha256
from pathlib import Path

import pytest

from fairtrial.base.cache.digest import folder_sha256, source_files
from fairtrial.base.cache.once import CacheNotWritable, find_made, made_once
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
    contents: list[list[Path]] = []
    made_once("test", "half", "b" * 64, lambda folder: contents.append(list(folder.iterdir())))
    assert contents == [[]]


def test_what_a_killed_process_left_is_made_again(cache: Path) -> None:
    folder = made_once("test", "thing", "d" * 64, lambda folder: (folder / "part").write_text("") and None)
    (folder / ".complete").unlink()
    assert find_made("test", "thing", "d" * 64) is None
    assert made_once("test", "thing", "d" * 64, lambda folder: None) == folder
    assert not (folder / "part").exists()


def test_what_says_of_itself_that_it_is_complete_is_not_found_before(cache: Path) -> None:
    found: list[Path | None] = []

    def make(folder: Path) -> None:
        (folder / ".complete").touch()
        found.append(find_made("test", "forged", "f" * 64))

    folder = made_once("test", "forged", "f" * 64, make)
    assert found == [None]
    assert find_made("test", "forged", "f" * 64) == folder


def test_kept_finds_what_was_made_and_nothing_else(cache: Path) -> None:
    assert find_made("test", "counted", "a" * 64) is None
    folder = made_once("test", "counted", "a" * 64, lambda folder: None)
    assert find_made("test", "counted", "a" * 64) == folder
    assert find_made("test", "counted", "b" * 64) is None
    assert find_made("test", "other", "a" * 64) is None
    assert find_made("other", "counted", "a" * 64) is None


def make_slowly(log: Path) -> None:
    """Make the folder `slow`, and add a line to the log for each call of `make`."""

    def make(folder: Path) -> None:
        with log.open("a") as file:
            file.write("made\n")
        time.sleep(0.2)  # long enough for the other processes to arrive meanwhile
        (folder / "content").write_text("whole")

    assert (made_once("test", "slow", "e" * 64, make) / "content").read_text() == "whole"


def test_several_processes_make_it_once(cache: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=make_slowly, args=(log,)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
    assert [process.exitcode for process in processes] == [0] * 4
    assert log.read_text() == "made\n"


def test_a_full_disk_is_a_problem_and_leaves_nothing(cache: Path) -> None:
    def fill(folder: Path) -> None:
        (folder / "part").write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(CacheNotWritable, match=r"large could not be kept in .*: No space left on device") as caught:
        made_once("test", "large", "f" * 64, fill)
    assert "FAIRTRIAL_CACHE" in caught.value.remedy
    assert not (cache / "test" / f"large-{'f' * 16}").exists()


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


def test_the_name_of_a_file_may_be_no_text(tmp_path: Path) -> None:
    """A file system takes any bytes; which of them are text depends on the locale, and the digest does not."""
    (tmp_path / os.fsdecode(b"gr\xf6\xdfe")).touch()
    assert folder_sha256(tmp_path) == sha256(b"[]\0gr\xf6\xdfe\0False\x000\0").hexdigest()


def test_a_folder_named_target_is_source_unless_a_build_made_it(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "mod.rs").write_text("")
    assert [path.name for path in source_files(tmp_path)] == ["mod.rs"]
    (tmp_path / "Cargo.toml").write_text("")
    assert [path.name for path in source_files(tmp_path)] == ["Cargo.toml"]


def test_what_a_tool_made_is_known_by_what_it_holds(tmp_path: Path) -> None:
    """Whatever it is called: a Python environment, and results of runs that lie in the folder of a service.

    Nor are the files by which a service is tried a part of it.
    """
    for name, made_with in (("env", "pyvenv.cfg"), ("results/cafe-20260101-120000", "record.jsonl"), ("env2", "x.cfg")):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / made_with).write_text("")
        (tmp_path / name / "more.py").write_text("")
    for tried_by in ("fairtrial.toml", "shop.workload.toml", "workload.toml"):
        (tmp_path / tried_by).write_text("")
    found = [str(path.relative_to(tmp_path)) for path in source_files(tmp_path)]
    assert found == ["env2/more.py", "env2/x.cfg", "workload.toml"]
