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
    ("programs", "texts", "reason", "remedy"),
    [
        (["cc"], {}, "there is no `cargo`", "install Rust 1.88 or newer from https://rustup.rs"),
        (["cc", "cargo"], {}, "there is no `rustc`", "install Rust 1.88 or newer"),
        ([], {}, "there is no `cargo`", "rustup.rs; and a C compiler: install gcc or clang"),
        (["cargo", "rustc"], {}, "there is no C compiler, `cc`", "install gcc or clang"),
        (["cargo", "rustc", "apt-get"], {}, "there is no C compiler", "apt install gcc libc6-dev"),
        (["cargo", "rustc", "broken", "dnf"], {}, "compiles nothing: collect2: error", "dnf install gcc"),
        (
            ["cargo", "rustc", "cc", "apt-cache"],
            {"version": "1.63.0"},
            "Rust 1.88 or newer, and cargo here is 1.63.0",
            "from https://rustup.rs (this system's package, 1.63.0, is too old)",
        ),
        (["cargo", "rustc", "cc"], {"rustc": "1.85.1"}, "Rust 1.88 or newer, and rustc here is 1.85.1", "rustup.rs"),
        (["cc", "apt-cache"], {"candidate": "1.91.1"}, "no `cargo`", "apt install rustc cargo (which is 1.91.1)"),
        (["cc", "apt-cache"], {"package": "rustup"}, "no `cargo`", "apt install rustup && rustup default stable"),
        (["cc", "rustup"], {}, "no `cargo`", "rustup toolchain install stable"),
        (["cargo", "rustc", "cc", "rustup"], {"version": "no toolchain"}, "does not answer", "rustup default stable"),
    ],
)
def test_what_is_missing_and_what_brings_it(
    programs: list[str],
    texts: dict[str, str],
    reason: str,
    remedy: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    have(tmp_path, monkeypatch, *programs, **texts)
    problem = toolchain_problem()
    assert problem is not None and reason in problem.reason and remedy in problem.remedy


def test_this_machine_has_one() -> None:
    assert toolchain_problem() is None
    assert "install Rust" in rust_remedy()
    assert os.environ["PATH"]
