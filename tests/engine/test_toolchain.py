"""What is said where the engine cannot be built: before anything else, and with a remedy that the system has."""

import os
from pathlib import Path

import pytest

from fairtrial.engine.toolchain import rust_remedy, toolchain_problem

PROGRAMS = {
    "cargo": "echo cargo {version}",
    "rustc": "echo rustc {rustc}",
    "cc": "true",
    "broken": "echo 'collect2: error: ld returned 1 exit status' >&2; exit 1",
    "apt-get": "true",
    "dnf": "true",
    "apt-cache": '[ "$2" = {package} ] && echo "  Candidate: {candidate}" || echo "  Candidate: (none)"',
    "rustup": "true",
}


def have(path: Path, monkeypatch: pytest.MonkeyPatch, *names: str, **texts: str) -> None:
    """A PATH with these programs alone; `texts` are what they print."""
    words = {"version": "1.95.0", "package": "rustc", "candidate": "1.63.0+dfsg1-2"} | texts
    words = {"rustc": words["version"]} | words
    for name in names:
        program = path / name.replace("broken", "cc")
        program.write_text(f"#!/bin/sh\n{PROGRAMS[name].format(**words)}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.delenv("CC", raising=False)


def test_nothing_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    have(tmp_path, monkeypatch, "cargo", "rustc", "cc")
    assert toolchain_problem() is None
    (tmp_path / "cc").unlink()
    monkeypatch.setenv("CC", "clang-19")
    assert toolchain_problem() is None, "who names another compiler knows why"


@pytest.mark.parametrize(
    ("programs", "texts"),
    [
        (["cc"], {}),
        (["cc", "cargo"], {}),
        ([], {}),
        (["cargo", "rustc"], {}),
        (["cargo", "rustc", "apt-get"], {}),
        (["cargo", "rustc", "broken", "dnf"], {}),
        (["cargo", "rustc", "cc", "apt-cache"], {"version": "1.63.0"}),
        (["cargo", "rustc", "cc"], {"rustc": "1.85.1"}),
        (["cc", "apt-cache"], {"candidate": "1.91.1"}),
        (["cc", "apt-cache"], {"package": "rustup"}),
        (["cc", "rustup"], {}),
        (["cargo", "rustc", "cc", "rustup"], {"version": "no toolchain"}),
    ],
)
def test_what_is_missing_and_what_brings_it(
    programs: list[str], texts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    have(tmp_path, monkeypatch, *programs, **texts)
    problem = toolchain_problem()
    assert problem is not None and problem.reason == snapshot and problem.remedy == snapshot


def test_this_machine_has_one() -> None:
    assert toolchain_problem() is None
    assert "install Rust" in rust_remedy()
    assert os.environ["PATH"]
