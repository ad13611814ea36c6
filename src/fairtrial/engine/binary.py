"""The engine's binary: built from the shipped source on first use, and cached by the content of the source."""

import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

from fairtrial.base.cache.digest import folder_sha256
from fairtrial.base.cache.once import made_once
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem

NAME = "fairtrial-engine"
MINIMUM_RUST = "1.85"
RUST_REMEDY = (
    f"install Rust {MINIMUM_RUST} or newer and a C linker (rustup, or your system's packages rustc, cargo and gcc)"
)


@cache
def engine_binary() -> Path:
    """Return the path of `fairtrial-engine`, and build it first if its source is new.

    `FAIRTRIAL_ENGINE` names a ready binary instead.

    Raises:
        Problem: there is no Rust toolchain, or the build failed.
    """
    ready = os.environ.get("FAIRTRIAL_ENGINE")
    if ready:
        if not os.access(ready, os.X_OK):
            raise Problem(f"FAIRTRIAL_ENGINE names {ready}, which is not a program", "unset it, or name a built engine")
        return Path(ready)
    source = shipped("engine")
    manifests = [(source / name).read_text() for name in ("Cargo.toml", "Cargo.lock")]
    sha256 = folder_sha256(source / "src", *manifests, platform.machine())
    return made_once("engine", NAME, sha256, lambda folder: _build(source, folder)) / NAME


def engine_version() -> str:
    """Return what `fairtrial-engine --version` prints."""
    command = [str(engine_binary()), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _build(source: Path, folder: Path) -> None:
    cargo = shutil.which("cargo")
    if cargo is None:
        raise Problem(
            "the load engine is built from source on first use, and there is no `cargo`",
            RUST_REMEDY,
            NOTHING_RAN,
        )
    target = folder / "target"
    log = folder.with_suffix(".log")
    with log.open("wb") as output:
        status = subprocess.run(
            [cargo, "build", "--release", "--locked", "--bin", NAME, "--target-dir", str(target)],
            cwd=source,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if status != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-12:])
        raise Problem(f"the load engine did not build (the whole output: {log}):\n{tail}", RUST_REMEDY, NOTHING_RAN)
    shutil.copy2(target / "release" / NAME, folder / NAME)
    shutil.rmtree(target)
    log.unlink()
