"""The engine's and the guard's binaries: built from the shipped source on first use, cached by the source's content."""

import os
import platform
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path

from fairtrial.base.cache.digest import folder_sha256
from fairtrial.base.cache.once import made_once
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem

ENGINE = "fairtrial-engine"
GUARD = "fairtrial-guard"
PROFILES = {ENGINE: "release", GUARD: "guard"}
"""of engine/Cargo.toml, each also the folder of the binary below cargo's target"""
READY_BY = {ENGINE: "FAIRTRIAL_ENGINE", GUARD: "FAIRTRIAL_GUARD"}
"""The environment variables that name a ready binary instead."""


@cache
def engine_binary() -> Path:
    """Return the path of `fairtrial-engine`, and build it first if its source is new.

    `FAIRTRIAL_ENGINE` names a ready binary instead.

    Raises:
        Problem: there is no Rust toolchain, or the build failed.
    """
    return _binary(ENGINE, shipped("engine") / "src", shipped("engine") / "guard/src")


@cache
def guard_binary() -> Path:
    """Return the path of `fairtrial-guard`, and build it first if its source is new.

    It needs little and is compiled in seconds, so that programs can run below it while the engine is being built.
    `FAIRTRIAL_GUARD` names a ready binary instead.

    Raises:
        Problem: there is no Rust toolchain, or the build failed.
    """
    return _binary(GUARD, shipped("engine") / "guard/src")


def engine_version() -> str:
    """Return what `fairtrial-engine --version` prints."""
    command = [str(engine_binary()), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def rust_remedy() -> str:
    """How to get what builds both."""
    minimum = tomllib.loads((shipped("engine") / "Cargo.toml").read_text())["package"]["rust-version"]
    return f"install Rust {minimum} or newer and a C linker (rustup, or your system's packages rustc, cargo and gcc)"


def _binary(name: str, *sources: Path) -> Path:
    variable = READY_BY[name]
    ready = os.environ.get(variable)
    if ready:
        if not os.access(ready, os.X_OK):
            raise Problem(f"{variable} names {ready}, which is not a program", "unset it, or name a built one")
        return Path(ready)
    manifests = [(shipped("engine") / each).read_text() for each in ("Cargo.toml", "Cargo.lock", "guard/Cargo.toml")]
    first, *others = sources
    sha256 = folder_sha256(first, *map(folder_sha256, others), *manifests, platform.machine())
    return made_once("engine", name, sha256, lambda folder: _build(name, folder)) / name


def _build(name: str, folder: Path) -> None:
    cargo = shutil.which("cargo")
    if cargo is None:
        raise Problem(
            f"{name} is built from source on first use, and there is no `cargo`",
            rust_remedy(),
            NOTHING_RAN,
        )
    target = folder / "target"
    log = folder.with_suffix(".log")
    with log.open("wb") as output:
        status = subprocess.run(
            [
                *(cargo, "build", "--locked", "--profile", PROFILES[name]),
                *("--package", name, "--bin", name, "--target-dir", str(target)),
            ],
            cwd=shipped("engine"),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if status != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-12:])
        raise Problem(f"{name} did not build (the whole output: {log}):\n{tail}", rust_remedy(), NOTHING_RAN)
    shutil.copy2(target / PROFILES[name] / name, folder / name)
    shutil.rmtree(target)
    log.unlink()
