"""A stack is built once for each content, in a copy of its folder."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.folder import ready
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requests import BuildRequest
from tests.catalog.stacks.test_find import MANIFEST, stack


def made(folder: Path, manifest: str) -> Stack:
    stack(folder, manifest)
    (folder / "source").write_text("source\n")
    return find_stacks([folder])[folder.name]


def with_build(command: str) -> str:
    head, _, variants = MANIFEST.partition("[variants.fast]")
    return f'{head}build = [["sh", "-c", "{command}"]]\n[variants.fast]{variants}'


def test_it_is_built_once_in_a_copy_and_anew_when_its_content_changes(cache: Path, tmp_path: Path) -> None:
    subject = made(tmp_path / "counted", with_build("cat source > built"))
    builds: list[int] = []

    def build(number: int = 1) -> Path:
        return ready(BuildRequest(subject, tmp_path / "log", lambda: builds.append(number), number, {"sh": "1"})).folder

    first = build()
    assert (first / "built").read_text() == "source\n"
    assert not (subject.folder / "built").exists(), "the user's folder is left as it was"
    assert build() == first and builds == [1]
    (subject.folder / "source").write_text("another\n")
    assert (build() / "built").read_text() == "another\n"
    assert build(2) != build() and builds == [1, 1, 2]


def test_a_build_that_fails_is_told_with_its_output_and_not_kept(cache: Path, tmp_path: Path) -> None:
    subject = made(tmp_path / "failing", with_build("echo no compiler; exit 3"))
    for _ in range(2):
        with pytest.raises(Problem) as problem:
            ready(BuildRequest(subject, tmp_path / "log", lambda: None))
        assert "ended with status 3" in problem.value.reason
        assert "no compiler" in problem.value.reason
    assert list((cache / "stacks").glob("failing-*/*")) == []
