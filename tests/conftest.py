"""Fixtures that all tests share."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from fairtrial.base.locations import cache_folder
from fairtrial.engine.binary import engine_binary
from tests.command_line import Lab
from tests.scheduling import (  # noqa: F401 hooks
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_runtest_protocol,
    pytest_xdist_make_scheduler,
    shared_between_workers,
)


@pytest.fixture(scope="session")
def engine() -> Path:
    """The engine's binary, built if it is not yet."""
    return engine_binary()


@pytest.fixture(scope="session")
def cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, engine: Path) -> Iterator[Path]:
    """A cache of the test session's own, with the engine that is already built.

    All workers share its folder, so that a stack is built and a database filled once. Each worker has a path of its own
    to it, by which it tells its processes from those of the others.
    """
    shared = shared_between_workers(request.config) / "shared-cache"
    shared.mkdir(exist_ok=True)
    user_s = cache_folder() / "tools"
    tools = shared / "tools"
    if user_s.exists() and not tools.is_symlink():
        with suppress(FileExistsError):
            tools.symlink_to(user_s)  # servers that the user installed
    folder = tmp_path_factory.getbasetemp() / "cache"
    folder.symlink_to(shared)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRTRIAL_CACHE", str(folder))
        patch.setenv("FAIRTRIAL_ENGINE", str(engine))
        yield folder


@pytest.fixture
def lab(tmp_path: Path, cache: Path) -> Iterator[Lab]:
    """A user's folder; when the test ends, nothing that was started in it may still run."""
    yield Lab(tmp_path, cache)
    assert left_running(tmp_path, cache) == []


def left_running(*folders: Path) -> list[str]:
    """Command lines of processes (this one's own apart) that run in one of these folders.

    Of those in the cache, which other workers use as well, only those that were given this worker's path to it.
    """
    found = []
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        if process.info["pid"] == os.getpid() or process.info["status"] == psutil.STATUS_ZOMBIE:
            continue
        try:
            if any(_runs_in(process, folder) for folder in folders):
                found.append(" ".join(process.info["cmdline"] or []))
        except psutil.Error:
            continue
    return found


def _runs_in(process: psutil.Process, folder: Path) -> bool:
    if not Path(process.cwd()).is_relative_to(folder.resolve()):
        return False
    return not folder.is_symlink() or process.environ().get("FAIRTRIAL_CACHE") == str(folder)
