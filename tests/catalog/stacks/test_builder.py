"""A build by a user of its own: what it finds of the lab's user, and whose its files are afterwards."""

import os
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.folder import ready
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.catalog.stacks.unprivileged_user import LABS, VARIABLE
from tests.catalog.stacks.stack_in import stack_in
from tests.machine.needs import needs

pytestmark = [needs("root"), pytest.mark.usefixtures("cache", "engine")]


@pytest.fixture(autouse=True)
def _as_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def built(folder: Path, name: str, *commands: str, **more: str) -> Path:
    return ready(BuildRequest(stack_in(folder, name, *commands, **more), folder / "log", lambda: None)).folder


def test_it_finds_nothing_of_the_labs_user_and_leaves_files_that_everybody_may_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, mine = tmp_path / "secret", tmp_path / "mine"
    secret.write_text("of the lab")
    secret.chmod(0o600)
    mine.mkdir()
    monkeypatch.setenv("GOPATH", "/root/go")
    folder = built(
        tmp_path,
        "of-its-own",
        f"id -u > uid; cat {secret} > stolen; echo x > {mine}/added; kill -KILL $PPID || true",
        "echo '#!/bin/sh' > program && chmod 4750 program; mkdir made && echo one > made/file; ln -s /etc/shadow link",
        'cat source > copied && [ ! -e "$HOME/.profile" ] && touch "$HOME/x" "$TMPDIR/y"',
        'echo "${GOPATH-none}" > gopath',
        build_user="own",
    )
    assert int((folder / "uid").read_text()) > 1_000_000_000
    assert (folder / "stolen").read_text() == "" and not list(mine.iterdir())
    assert (folder / "copied").read_text() == "of-its-own" and (folder / "gopath").read_text() == "none\n"
    owners = {path.lstat().st_uid for path in [folder, *folder.rglob("*")]}
    assert owners == {os.geteuid()}
    modes = {name: (folder / name).stat().st_mode & 0o7777 for name in ("program", "made", "made/file", "source")}
    assert modes == {"program": 0o755, "made": 0o755, "made/file": 0o644, "source": 0o644}
    assert Path("/etc/shadow").stat().st_mode & 0o007 == 0


def test_without_the_key_the_lab_builds_it(tmp_path: Path) -> None:
    assert (built(tmp_path, "of-the-lab", "id -u > uid") / "uid").read_text() == f"{os.geteuid()}\n"


def test_it_builds_as_the_lab_where_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, LABS)
    assert (built(tmp_path, "as-the-lab", "id -u > uid", build_user="own") / "uid").read_text() == f"{os.geteuid()}\n"


def test_a_build_that_fails_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(Problem, match="no such thing"):
        built(tmp_path, "that-fails", "echo no such thing >&2; exit 3", build_user="own")
    assert not list((cache / "stacks").glob("that-fails-*/source"))
