"""What builds the engine: a Rust toolchain and a C linker, and how this system gets them."""

import re
import shutil
import subprocess
import tomllib

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem

LINKERS = ("cc", "gcc", "clang")
ANSWERS_WITHIN_SECONDS = 60.0
"""rustup may look for a toolchain before cargo answers."""


def assert_toolchain() -> None:
    """Require what builds the engine.

    Raises:
        Problem: cargo or a C linker is missing, or Rust is too old; the remedy is one that this system has.
    """
    problem = toolchain_problem()
    if problem is not None:
        raise problem


def toolchain_problem() -> Problem | None:
    """What keeps the engine from being built here; None if nothing does."""
    if shutil.which("cargo") is None:
        return Problem("the load engine is built from source, and there is no `cargo`", rust_remedy(), NOTHING_RAN)
    if not any(map(shutil.which, LINKERS)):
        reason = "the load engine is built from source, and there is no C compiler, which Rust links with"
        return Problem(reason, _linker_remedy(), NOTHING_RAN)
    version, error = _cargo_version()
    if version is None:
        return Problem(f"`cargo --version` does not answer: {error}", rust_remedy(), NOTHING_RAN)
    if _parts(version) < _parts(_minimum()):
        reason = f"the load engine is built from source by Rust {_minimum()} or newer, and cargo here is {version}"
        return Problem(reason, rust_remedy(), NOTHING_RAN)
    return None


def rust_remedy() -> str:
    """How this system gets Rust: by its own packages where these are new enough, else by rustup."""
    minimum = _minimum()
    if shutil.which("rustup") is not None:
        return f"install Rust {minimum} or newer: rustup toolchain install stable && rustup default stable"
    packaged = _packaged("rustc")
    if packaged is not None and _parts(packaged) >= _parts(minimum):
        return f"install Rust {packaged}: apt install rustc cargo gcc"
    if _packaged("rustup") is not None:
        return f"install Rust {minimum} or newer: apt install rustup gcc && rustup default stable"
    older = f" (this system's package is {packaged})" if packaged is not None else ""
    return f"install Rust {minimum} or newer by rustup{older}, and a C compiler"


def _linker_remedy() -> str:
    return "install one: apt install gcc" if shutil.which("apt-get") else "install gcc or clang"


def _minimum() -> str:
    manifest = tomllib.loads((shipped("engine") / "Cargo.toml").read_text(encoding="utf-8"))
    return str(manifest["package"]["rust-version"])


def _cargo_version() -> tuple[str | None, str]:
    """The version, or None and why there is none: rustup's cargo answers only where a toolchain is chosen."""
    try:
        outcome = subprocess.run(
            ["cargo", "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=ANSWERS_WITHIN_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    version = re.search(r"cargo (\d+(?:\.\d+)+)", outcome.stdout)
    return (None, outcome.stderr.strip()[:200]) if version is None else (version[1], "")


def _packaged(name: str) -> str | None:
    """The version of a Debian package that apt would install; None if it knows none."""
    if shutil.which("apt-cache") is None:
        return None
    policy = subprocess.run(["apt-cache", "policy", name], capture_output=True, text=True, check=False).stdout
    candidate = re.search(r"Candidate: (?:\d+:)?(\d+(?:\.\d+)+)", policy)
    return None if candidate is None else candidate[1]


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
