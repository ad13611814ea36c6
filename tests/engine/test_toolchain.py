"""What is said where the engine cannot be built: before anything else, and with a remedy that the system has."""

import os
from pathlib import Path

import pytest

from fairtrial.engine.toolchain import rust_remedy, toolchain_problem

PROGRAMS = {
    "cargo": "echo cargo {version}",
    "cc": "true",
    "apt-get": "true",
    "apt-cache": '[ "$2" = {package} ] && echo "  Candidate: {candidate}" || echo "  Candidate: (none)"',
    "rustup": "true",
}


def have(path: Path, monkeypatch: pytest.MonkeyPatch, *names: str, **texts: str) -> None:
    """A PATH with these programs alone; `texts` are what they print."""
    words = {"version": "1.95.0", "package": "rustc", "candidate": "1.63.0+dfsg1-2"} | texts
    for name in names:
        program = path / name
        program.write_text(f"#!/bin/sh\n{PROGRAMS[name].format(**words)}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(path))


def test_nothing_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    have(tmp_path, monkeypatch, "cargo", "cc")
    assert toolchain_problem() is None


@pytest.mark.parametrize(
    ("programs", "texts", "reason", "remedy"),
    [
        (["cc"], {}, "there is no `cargo`", "install Rust 1.88 or newer by rustup, and a C compiler"),
        (["cargo"], {}, "there is no C compiler", "install gcc or clang"),
        (["cargo", "apt-get"], {}, "there is no C compiler", "apt install gcc"),
        (
            ["cargo", "cc", "apt-cache"],
            {"version": "1.63.0"},
            "Rust 1.88 or newer, and cargo here is 1.63.0",
            "by rustup (this system's package is 1.63.0)",
        ),
        (["cc", "apt-cache"], {"candidate": "1.91.1"}, "no `cargo`", "apt install rustc cargo gcc"),
        (["cc", "apt-cache"], {"package": "rustup"}, "no `cargo`", "apt install rustup gcc"),
        (["cc", "rustup"], {}, "no `cargo`", "rustup toolchain install stable"),
        (["cargo", "cc", "rustup"], {"version": "no toolchain"}, "does not answer", "rustup default stable"),
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
