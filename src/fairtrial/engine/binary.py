"""The engine's and the guard's binaries: those that an installed wheel has inside, or built from the shipped source on
first use and cached by its content."""

import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock

from fairtrial.base.cache.digest import folder_sha256
from fairtrial.base.cache.once import damage_of, find_made, made_once
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import duration
from fairtrial.base.locations import PACKAGE, shipped
from fairtrial.base.problem import Problem, why_no_answer
from fairtrial.engine.toolchain import assert_toolchain

ENGINE = "fairtrial-engine"
GUARD = "fairtrial-guard"
PROGRAMS = PACKAGE / "bundled/programs"
"""The folder of both in a wheel that was built for one platform."""
PROFILES = {ENGINE: "release", GUARD: "guard"}
"""profiles of engine/Cargo.toml, each also the folder of the binary below cargo's target"""
TITLES = {ENGINE: "the load engine", GUARD: "the guard of processes"}
TAKES = {ENGINE: "some minutes", GUARD: "some seconds, and a download"}
"""How long a build takes, for whoever waits."""
LOCKS = {ENGINE: Lock(), GUARD: Lock()}
"""One thread builds, and others wait in silence."""
READY_BY = {ENGINE: "FAIRTRIAL_ENGINE", GUARD: "FAIRTRIAL_GUARD"}
"""The environment variables that name a ready binary instead."""
FAILURES = {
    r"No space left on device|Disk quota exceeded": "free space there, or set FAIRTRIAL_CACHE to another folder",
    r"failed to (?:download|fetch|get `)|[Cc]ould not resolve|spurious network error|network failure": (
        "the sources of Rust packages are downloaded once: see to the network, or to cargo's proxy settings"
    ),
    r"signal: 9, SIGKILL|[Oo]ut of memory|[Cc]annot allocate memory": "the compiler ran out of memory: free some",
}
"""By what cargo, rustc and linkers say, what to do about it."""
VERSION_WITHIN_SECONDS = 30.0
"""A matter of milliseconds, if the machine is not busy."""


@cache
def engine_binary() -> Path:
    """Return the path of `fairtrial-engine`, and build it first if it was not installed ready and its source is new.

    `FAIRTRIAL_ENGINE` names a ready binary instead.

    Raises:
        Problem: there is no Rust toolchain, the build failed, or what was built does not run.
    """
    return _binary(ENGINE)


@cache
def guard_binary() -> Path:
    """Return the path of `fairtrial-guard`, and build it first if it was not installed ready and its source is new.

    It needs little and is compiled in seconds, so that programs can run below it while the engine is being built.
    `FAIRTRIAL_GUARD` names a ready binary instead.

    Raises:
        Problem: there is no Rust toolchain, the build failed, or what was built does not run.
    """
    return _binary(GUARD)


def engine_version() -> str:
    """Return what `fairtrial-engine --version` prints."""
    command = [str(engine_binary()), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def assert_engine() -> None:
    """Require the engine, or what builds it: before anything else is built or waited for.

    Raises:
        Problem: it is neither there nor can it be built, or it does not run.
    """
    if engine_that_is_there() is None or _present(GUARD) is None:
        assert_toolchain()


def engine_that_is_there() -> Path | None:
    """Return the path of `fairtrial-engine` if it is there, and runs; None if it is still to be built, or again.

    Raises:
        Problem: it does not run.
    """
    binary = _present(ENGINE)
    return None if binary is None else _that_runs(binary)


def damage_of_engine() -> str | None:
    """The damage of the engine in the cache; None if it has none, or if there is no engine."""
    return None if _ready(ENGINE) else damage_of("engine", ENGINE, _sha256(*_sources(ENGINE)))


def _sources(name: str) -> list[Path]:
    guard = shipped("engine") / "guard/src"
    return [guard] if name == GUARD else [shipped("engine") / "src", guard]


def _present(name: str) -> Path | None:
    """The binary that the environment names, that was installed, or that is in the cache."""
    ready = _ready(name)
    if ready is None and (folder := find_made("engine", name, _sha256(*_sources(name)))):
        ready = folder / name
    return ready


def _binary(name: str) -> Path:
    with LOCKS[name]:
        binary = _present(name)
        if binary is None:
            sha256 = _sha256(*_sources(name))
            waiting = _say_once(f"another process is building {TITLES[name]}; this one waits for it")
            folder = made_once("engine", name, sha256, lambda folder: _build(name, folder), while_waiting=waiting)
            binary = folder / name
    return _that_runs(binary)


def _ready(name: str) -> Path | None:
    """The binary that the environment names, or that was installed; None: it is built."""
    variable = READY_BY[name]
    ready = os.environ.get(variable)
    if not ready:
        installed = PROGRAMS / name
        return installed if installed.exists() else None
    if not os.access(ready, os.X_OK):
        raise Problem(f"{variable} names {ready}, which is not a program", "unset it, or name a built one")
    return Path(ready)


def _that_runs(binary: Path) -> Path:
    """The binary, which was asked for its version: on a file system that is mounted noexec, nothing runs."""
    try:
        process = subprocess.run(
            [str(binary), "--version"], capture_output=True, check=False, timeout=VERSION_WITHIN_SECONDS
        )
        fault = f"it ended with status {process.returncode}" if process.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        fault = why_no_answer(error)
    if fault:
        again = f"remove {binary.parent}, so that it is built again"
        if binary.parent == PROGRAMS:
            again = "install Fairtrial again, from a wheel for this platform"
        raise Problem(f"{binary} does not run: {fault}", f"{again}; is its file system mounted noexec?", NOTHING_RAN)
    return binary


def _sha256(first: Path, *others: Path) -> str:
    """The digest by which a binary from these folders is cached."""
    manifests = [
        (shipped("engine") / each).read_text(encoding="utf-8")
        for each in ("Cargo.toml", "Cargo.lock", "guard/Cargo.toml")
    ]
    return folder_sha256(first, *map(folder_sha256, others), *manifests, platform.machine())


def _build(name: str, folder: Path) -> None:
    assert_toolchain()
    _say(f"building {TITLES[name]} from source (once; {TAKES[name]})")
    began = time.monotonic()
    target = folder / "target"
    log = folder.with_suffix(".log")
    with log.open("wb") as output:
        status = subprocess.run(
            [
                *("cargo", "build", "--locked", "--profile", PROFILES[name]),
                *("--package", name, "--bin", name, "--target-dir", str(target)),
            ],
            cwd=shipped("engine"),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    if status != 0:
        text = log.read_text(encoding="utf-8", errors="replace")
        tail = "\n".join(text.splitlines()[-12:])
        raise Problem(f"{name} did not build (the whole output: {log}):\n{tail}", _build_remedy(text), NOTHING_RAN)
    shutil.copy2(target / PROFILES[name] / name, folder / name)
    shutil.rmtree(target)
    log.unlink()
    _say(f"{TITLES[name]} is built, after {duration(time.monotonic() - began)}")


def _say(line: str) -> None:
    """A line for whoever waits: on a terminal, above what a live view shows; in a pipe, at once."""
    print(f"fairtrial: {line}", file=sys.stderr, flush=True)


def _say_once(line: str) -> Callable[[], None]:
    unsaid = [line]

    def say() -> None:
        while unsaid:
            _say(unsaid.pop())

    return say


def _build_remedy(output: str) -> str:
    remedy = next((remedy for pattern, remedy in FAILURES.items() if re.search(pattern, output)), None)
    return remedy or "read the whole output, which names what did not compile"
