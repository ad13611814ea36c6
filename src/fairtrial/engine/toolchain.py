"""The tools that build the engine: a Rust toolchain and a C compiler, and how this system gets them."""

import os
import re
import shutil
import subprocess
import tomllib

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem, why_no_answer

COMPILER = "cc"
"""The command that links and compiles the C within the engine's packages, unless a variable says otherwise."""
SMALLEST_PROGRAM = "#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n"
"""It needs the headers and the start files of the C library, which some systems package apart."""
COMPILER_OF = {
    "apt-get": "apt install gcc libc6-dev",
    "dnf": "dnf install gcc",
    "apk": "apk add gcc musl-dev",
    "pacman": "pacman -S gcc",
    "zypper": "zypper install gcc",
}
"""By package manager: what installs a C compiler with all that it needs."""
ANSWERS_WITHIN_SECONDS = 60.0
"""rustup may look for a toolchain before cargo answers."""


def assert_toolchain() -> None:
    """Require what builds the engine.

    Raises:
        Problem: cargo, rustc or a C compiler is missing or does not work, or Rust is too old; the remedy is one that
            this system has.
    """
    problem = toolchain_problem()
    if problem is not None:
        raise problem


def toolchain_problem() -> Problem | None:
    """The obstacle to building the engine here; None if there is none."""
    for name in ("cargo", "rustc"):
        if shutil.which(name) is None:
            return Problem(
                f"the load engine is built from source, and there is no `{name}`", rust_remedy(), NOTHING_RAN
            )
    for name in ("cargo", "rustc"):
        version, error = _version(name)
        if version is None:
            return Problem(f"`{name} --version` does not answer: {error}", rust_remedy(), NOTHING_RAN)
        if _parts(version) < _parts(_minimum()):
            reason = f"the load engine is built from source by Rust {_minimum()} or newer, and {name} here is {version}"
            return Problem(reason, rust_remedy(), NOTHING_RAN)
    fault = _compiler_fault()
    return None if fault is None else Problem(fault, _compiler_remedy(), NOTHING_RAN)


def rust_remedy() -> str:
    """How this system gets Rust: by its own packages where these are new enough, else by rustup."""
    compiler = "" if _compiler_fault() is None else f"; and a C compiler: {_compiler_remedy()}"
    return f"install Rust {_minimum()} or newer{_rust_source()}{compiler}"


def _rust_source() -> str:
    if shutil.which("rustup") is not None:
        return ": rustup toolchain install stable && rustup default stable"
    packaged = _packaged("rustc")
    if packaged is not None and _parts(packaged) >= _parts(_minimum()):
        return f": apt install rustc cargo (which is {packaged})"
    if _packaged("rustup") is not None:
        return ": apt install rustup && rustup default stable"
    older = f" (this system's package, {packaged}, is too old)" if packaged is not None else ""
    return f" from https://rustup.rs{older}"


def _compiler_fault() -> str | None:
    """Why nothing can be linked; None if it can, or if a variable names another compiler, which is not looked at."""
    if os.environ.get("CC"):
        return None
    if shutil.which(COMPILER) is None:
        return f"the load engine is built from source, and there is no C compiler, `{COMPILER}`, which Rust links with"
    try:
        compilation = _answer([COMPILER, "-x", "c", "-", "-o", os.devnull], SMALLEST_PROGRAM)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the C compiler `{COMPILER}`, which Rust links with, does not run: {why_no_answer(error)}"
    if compilation.returncode == 0:
        return None
    words = next((line for line in compilation.stderr.splitlines() if "error" in line or "cannot find" in line), "")
    return f"the C compiler `{COMPILER}`, which Rust links with, compiles nothing: {words.strip()[:200]}"


def _compiler_remedy() -> str:
    return next((command for manager, command in COMPILER_OF.items() if shutil.which(manager)), "install gcc or clang")


def _minimum() -> str:
    manifest = tomllib.loads((shipped("engine") / "Cargo.toml").read_text(encoding="utf-8"))
    return str(manifest["package"]["rust-version"])


def _version(name: str) -> tuple[str | None, str]:
    """The version, or None and why there is none: rustup's programs answer only where a toolchain is chosen."""
    try:
        outcome = _answer([name, "--version"])
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, why_no_answer(error)
    version = re.search(rf"{name} (\d+(?:\.\d+)+)", outcome.stdout)
    return (None, outcome.stderr.strip()[:200]) if version is None else (version[1], "")


def _answer(command: list[str], text: str = "") -> "subprocess.CompletedProcess[str]":
    """A tool's answer to a text. Raises OSError or TimeoutExpired: there is none."""
    return subprocess.run(
        command,
        input=text,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=ANSWERS_WITHIN_SECONDS,
    )


def _packaged(name: str) -> str | None:
    """The version of a Debian package that apt would install; None if it knows none."""
    if shutil.which("apt-cache") is None:
        return None
    policy = subprocess.run(
        ["apt-cache", "policy", name],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout
    candidate = re.search(r"Candidate: (?:\d+:)?(\d+(?:\.\d+)+)", policy)
    return None if candidate is None else candidate[1]


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
