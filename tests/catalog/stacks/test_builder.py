"""A build by a user of its own: what it finds of the lab's user, whose its files are then, and where links lead."""

import os
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.cache.seal import damage
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.builder import builder_of
from fairtrial.catalog.stacks.folder import find_build, ready
from fairtrial.catalog.stacks.places import places_of
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.catalog.stacks.unprivileged_user import LABS, VARIABLE
from tests.catalog.stacks.stack_in import stack_in
from tests.lines import line_with
from tests.machine.needs import needs

pytestmark = [needs("root"), pytest.mark.usefixtures("cache", "engine")]


@pytest.fixture(autouse=True)
def _as_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A folder that only root may enter, with a file that everybody might read there."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "file").write_text("of the lab")
    return closed


def request_for(folder: Path, name: str, *commands: str, **more: Any) -> BuildRequest:
    return BuildRequest(stack_in(folder, name, *commands, **more), folder / "log", lambda: None)


def built(folder: Path, name: str, *commands: str, **more: Any) -> Path:
    return ready(request_for(folder, name, *commands, **more)).folder


def test_it_finds_nothing_of_the_labs_user_and_leaves_files_that_everybody_may_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, mine = tmp_path / "secret", tmp_path / "mine"
    secret.write_text("of the lab")
    secret.chmod(0o600)
    mine.mkdir()
    monkeypatch.setenv("GOPATH", str(tmp_path / "go"))
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


def test_it_builds_as_the_lab_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    monkeypatch.setenv(VARIABLE, LABS)
    assert (built(tmp_path, "as-the-lab", "id -u > uid", build_user="own") / "uid").read_text() == f"{os.geteuid()}\n"
    assert line_with((tmp_path / "log").read_text(), "built as the") == snapshot


def test_a_port_of_root_is_for_listening_and_no_reason_to_build_as_root(tmp_path: Path) -> None:
    folder = built(tmp_path, "port-80", "id -u > uid", build_user="own", port=80)
    assert int((folder / "uid").read_text()) > 1_000_000_000
    assert "built as" not in (tmp_path / "log").read_text()


def test_logins_reach_it_by_env_from_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logins = ["CARGO_REGISTRY_TOKEN", "UV_PUBLISH_URL", "NPM_CONFIG__AUTH", "BUNDLE_GEMS__EXAMPLE__COM", "GOAUTH"]
    others = ["PIP_TIMEOUT", "BUNDLE_MIRROR__ALL", "BUNDLE_BUILD__NOKOGIRI", "CARGO_HTTP_TIMEOUT"]
    for name in (*logins, "UV_PUBLISH_TOKEN", *others):
        monkeypatch.setenv(name, "12")
    folder = built(tmp_path, "logins", "env > variables", build_user="own", env_from=["UV_PUBLISH_TOKEN"])
    names = {line.split("=")[0] for line in (folder / "variables").read_text().splitlines()}
    assert not names & set(logins)
    assert names >= {"UV_PUBLISH_TOKEN", *others}


def test_its_seal_is_the_labs_and_follows_no_link(tmp_path: Path, closed: Path) -> None:
    request = request_for(
        tmp_path, "seals", f"ln -s {closed}/file .complete.{os.getpid()}; : > .complete", build_user="own"
    )
    folder = ready(request).folder
    assert (closed / "file").read_text() == "of the lab"
    assert (folder / ".complete").stat().st_size > 0 and find_build(request) == folder
    assert damage(folder) is None


def test_a_source_that_links_to_files_elsewhere_is_refused(tmp_path: Path, closed: Path, snapshot: object) -> None:
    request = request_for(tmp_path, "links", "cat within > read", build_user="own")
    source = request.stack.folder
    (source / "within").symlink_to("source")
    assert (ready(request).folder / "read").read_text() == "links"
    (source / "out").symlink_to(closed / "file")
    with pytest.raises(Problem) as error:
        ready(request)
    assert str(error.value) == snapshot


def test_files_that_it_makes_lead_out_of_the_build_by_no_link(tmp_path: Path, closed: Path) -> None:
    request = request_for(
        tmp_path,
        "files",
        f"ln -s {closed}/file out; mkdir made; ln -s {closed} made/out; ln -s source within",
        build_user="own",
        files={"/within": "within", "/null": "/dev/null", "/beside": "../closed/file"},
    )
    folder = ready(request).folder
    assert places_of(request.stack, None, folder).files == {
        "/within": folder / "source",
        "/null": Path("/dev/null"),
        "/beside": closed / "file",
    }
    for place in ("out", "made/out", "made/out/file"):
        origin = request.stack.origin.model_copy(update={"files": {"/app": place}})
        with pytest.raises(Problem, match="a link that leads out"):
            places_of(request.stack.model_copy(update={"origin": origin}), None, folder)


def test_it_does_not_choose_what_its_next_command_finds_as_the_users_of_the_machine(
    tmp_path: Path, closed: Path
) -> None:
    folder = built(
        tmp_path,
        "renames",
        f'cd "$HOME/.." && mv passwd before && ln -s {closed}/file passwd || true',
        "cat /etc/passwd > passwd; id -un > name",
        build_user="own",
    )
    assert "of the lab" not in (folder / "passwd").read_text()
    assert (folder / "name").read_text() == "stack\n"


def test_another_name_of_somebody_elses_file_changes_nothing_of_it(tmp_path: Path, closed: Path) -> None:
    """The kernel lets users make such names where fs.protected_hardlinks is 0."""
    (closed / "file").chmod(0o600)
    (tmp_path / "folder").mkdir()
    with builder_of(stack_in(tmp_path, "hard-link", build_user="own"), tmp_path / "folder", {}):
        (tmp_path / "folder/name").hardlink_to(closed / "file")
    assert (closed / "file").stat().st_mode & 0o777 == 0o600


def test_a_build_that_fails_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(Problem, match="no such thing"):
        built(tmp_path, "that-fails", "echo no such thing >&2; exit 3", build_user="own")
    assert not list((cache / "stacks").glob("that-fails-*/source"))
