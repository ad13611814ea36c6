"""Fixtures that all tests share."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from syrupy.assertion import SnapshotAssertion

from fairtrial.base.cache.seal import SEAL
from fairtrial.base.locations import cache_folder
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.engine.binary import engine_binary, guard_binary
from tests.called_here import call  # noqa: F401 a fixture
from tests.command_line import Lab
from tests.machine.needs import pytest_runtest_setup, pytest_terminal_summary  # noqa: F401 hooks
from tests.scheduling import (  # noqa: F401 hooks
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_runtest_protocol,
    pytest_xdist_make_scheduler,
    shared_between_workers,
)

WORKERS_CACHE = "LC_TESTS"
"""The variable that tells the processes of a worker from those of others: stacks inherit languages, and little else."""

FREE_PORT = re.compile(r"(127\.0\.0\.1|localhost):\d{5}\b")
"""An address on this machine with a port that the system chose."""


@pytest.fixture(scope="session")
def engine() -> Path:
    """The engine's binary, built if it is not yet."""
    return engine_binary()


@pytest.fixture(scope="session")
def cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, engine: Path) -> Iterator[Path]:
    """A cache of the test session's own, with the engine, the servers and the shipped stacks that the user's holds.

    All workers share its folder, so that a stack is built and a database filled once. Each worker has a path of its own
    to it, by which it tells its processes from those of the others.
    """
    guard = guard_binary()  # from the user's cache
    shared = shared_between_workers(request.config) / "shared-cache"
    (shared / "stacks").mkdir(parents=True, exist_ok=True)
    for folder in [*cache_folder().glob("tools"), *_shipped_builds()]:
        with suppress(FileExistsError):
            (shared / folder.relative_to(cache_folder())).symlink_to(folder)
    folder = tmp_path_factory.getbasetemp() / "cache"
    folder.symlink_to(shared)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRTRIAL_CACHE", str(folder))
        patch.setenv(WORKERS_CACHE, str(folder))
        patch.setenv("PATH", _path_without_shim())
        patch.setenv("FAIRTRIAL_ENGINE", str(engine))
        patch.setenv("FAIRTRIAL_GUARD", str(guard))
        # Tests that run side by side do not measure, and those that do run alone.
        locks = tmp_path_factory.mktemp("locks")
        patch.setenv("FAIRTRIAL_LOCKS", str(locks))
        yield folder


def _path_without_shim() -> str:
    """PATH, by which `python3` is Python itself.

    The script of a version manager takes longer than the start of Python to which it leads, and tests start hundreds of
    servers by it.
    """
    found = shutil.which("python3")
    if found is None:
        return os.environ["PATH"]
    with open(found, "rb") as program:
        is_script = program.read(2) == b"#!"
    own = Path(sys.executable).resolve().parent
    return f"{own}:{os.environ['PATH']}" if is_script and (own / "python3").exists() else os.environ["PATH"]


def _shipped_builds() -> list[Path]:
    """Whole builds of shipped stacks in the user's cache, as `make build` leaves them."""
    names = find_stacks()
    complete = (marker.parent for marker in cache_folder().glob(f"stacks/*/{SEAL}"))
    return [folder for folder in complete if folder.name.rpartition("-")[0] in names]


@pytest.fixture
def lab(tmp_path: Path, cache: Path) -> Iterator[Lab]:
    """A user's folder; when the test ends, nothing that was started in it may still run."""
    yield Lab(tmp_path, cache)
    assert left_running(tmp_path, cache) == []


@pytest.fixture(scope="module")
def shared_lab(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Lab]:
    """A user's folder for runs that several tests of a module look at."""
    folder = tmp_path_factory.mktemp("lab")
    yield Lab(folder, cache)
    assert left_running(folder, cache) == []


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion, tmp_path_factory: pytest.TempPathFactory) -> SnapshotAssertion:
    """Equal to what `__snapshots__` holds for a test, its own folder (`tmp_path`) and free ports aside."""
    folder = re.compile(rf"{re.escape(str(tmp_path_factory.getbasetemp()))}/[^/\s:'\"]+")

    def same_everywhere(data: object, path: object) -> object:
        return FREE_PORT.sub(r"\1:PORT", folder.sub("FOLDER", data)) if isinstance(data, str) else data

    return snapshot.with_defaults(matcher=same_everywhere)


def left_running(*folders: Path) -> list[str]:
    """Command lines of processes (this one's own apart) that run in one of these folders.

    Of those in the cache, and in what it holds of the user's, only those that were given this worker's path to it:
    others use both as well.
    """
    found = []
    for pid in psutil.pids():
        with suppress(OSError, psutil.Error):  # it has just ended, or nobody has waited for it yet
            if pid != os.getpid() and any(_runs_in(Path(f"/proc/{pid}"), folder) for folder in folders):
                found.append(" ".join(psutil.Process(pid).cmdline()))
    return found


def _runs_in(process: Path, folder: Path) -> bool:
    works_in = Path(os.readlink(process / "cwd").removesuffix(" (deleted)"))
    if not folder.is_symlink():
        return works_in.is_relative_to(folder.resolve())
    if f"{WORKERS_CACHE}={folder}".encode() not in (process / "environ").read_bytes().split(b"\0"):
        return False
    places = [folder.resolve(), *(build.resolve() for build in folder.glob("stacks/*") if build.is_symlink())]
    return any(works_in.is_relative_to(place) for place in places)
