"""Which programs are installed: found on PATH or where packages put them, in a version that is new enough."""

import os
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.common.installed import Programs, assert_installed, missing_program, version_line
from fairtrial.catalog.services.model import ServiceStart


def install(folder: Path, name: str, script: str) -> Path:
    """A program that runs this shell script."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def programs(folder: Path) -> Programs:
    return Programs("Thing", ("thingd|oldthingd", "make-thing"), (f"{folder}/*/bin",), ("thing-server",), oldest=(2, 1))


def test_what_a_program_complains_of_is_not_the_users_to_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path / "9" / "bin", "thingd", "echo 'no interface' >&2; echo 'thing 9.3'")
    install(tmp_path / "9" / "bin", "make-thing", "exit 0")
    assert programs(tmp_path).version() == "Thing 9.3"
    assert capfd.readouterr().err == ""


def test_the_newest_version_in_a_usual_folder_is_taken_if_path_has_none(tmp_path: Path) -> None:
    for version in ("9", "10"):
        for name in ("oldthingd", "make-thing"):
            install(tmp_path / version / "bin", name, f"echo 'thing {version}.3 for tests'")
    things = programs(tmp_path)
    assert things.missing() is None
    assert things.path("thingd|oldthingd") == str(tmp_path / "10" / "bin" / "oldthingd")
    assert things.version() == "Thing 10.3"
    preferred = install(tmp_path / "9" / "bin", "thingd", "exit 1")
    assert things.path("thingd|oldthingd") == str(preferred)
    assert things.version() is None, "it does not say"
    assert things.missing() is None, "what is wrong with it shows when it is started"


def test_path_comes_before_the_usual_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "9" / "bin", "make-thing", "")
    own = install(tmp_path / "own", "make-thing", "")
    monkeypatch.setenv("PATH", str(own.parent), prepend=os.pathsep)
    assert programs(tmp_path).path("make-thing") == str(own)


def test_a_program_that_is_absent_is_named_with_its_package(tmp_path: Path) -> None:
    install(tmp_path / "9" / "bin", "thingd", "echo 9.1")
    things = programs(tmp_path)
    missing = things.missing()
    assert missing is not None
    assert "make-thing of Thing not found" in missing.reason and missing.packages == ("thing-server",)
    assert things.path_of("make-thing") is None
    with pytest.raises(Problem, match="make-thing"):
        things.path("make-thing")
    with pytest.raises(Problem, match="make-thing") as caught:
        assert_installed(missing)
    assert "apt install thing-server" in caught.value.remedy


def test_the_output_of_a_program_that_fails_is_shown(tmp_path: Path, snapshot: object) -> None:
    failing = ["/bin/sh", "-c", "echo working; echo 'FATAL: no luck' >&2; exit 3"]
    with pytest.raises(Problem) as caught:
        programs(tmp_path).run(Path("/"), failing)
    assert str(caught.value) == snapshot
    assert "no luck" in caught.value.reason and "working" not in caught.value.reason


def test_one_program_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = missing_program("Thing", "thingd", "thing-server")
    assert missing is not None and missing.packages == ("thing-server",) and "`thingd`" in missing.reason
    assert version_line(["thingd", "--version"]) is None
    install(tmp_path, "thingd", "echo 'thing 1.0'; echo more")
    assert missing_program("Thing", "thingd", "thing-server") is None
    assert version_line(["thingd", "--version"]) == "thing 1.0"
    install(tmp_path, "thingd", "echo 'thing 1.0'; exit 1")
    assert version_line(["thingd", "--version"]) is None
    assert_installed(None)


PROGRAMS = [
    ("postgresql", {"postgres": "postgres (PostgreSQL) {}", "initdb": ""}, "9.6.24", "13.1", "13"),
    (
        "mariadb",
        {"mariadbd": "mariadbd  Ver {}-MariaDB for Linux on x86_64", "mariadb-install-db": ""},
        "10.3.39",
        "10.11.2",
        "10.5",
    ),
]


@pytest.mark.parametrize(("name", "programs", "old", "new", "needed"), PROGRAMS)
def test_a_program_that_is_too_old_is_as_good_as_none(
    name: str,
    programs: dict[str, str],
    old: str,
    new: str,
    needed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    def install(version: str) -> None:
        for program, output in programs.items():
            (tmp_path / program).write_text(f"#!/bin/sh\necho '{output.format(version)}'\n")
            (tmp_path / program).chmod(0o755)

    service = pick_service(name)
    install(old)
    missing = service.missing()
    assert missing is not None
    assert f"{old}; {needed} or newer is needed" in missing.reason
    assert str(tmp_path) in missing.reason
    with (
        pytest.raises(Problem, match=f"{needed} or newer is needed"),
        service.start(ServiceStart()),
    ):
        pass
    install(new)
    assert service.missing() is None
