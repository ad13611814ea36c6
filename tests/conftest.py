"""Fixtures that all tests share."""

import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from fairtrial.base.locations import cache_folder
from fairtrial.engine.binary import engine_binary
from tests.command_line import Lab


@pytest.fixture(scope="session")
def engine() -> Path:
    """The engine's binary, built if it is not yet."""
    return engine_binary()


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory, engine: Path) -> Iterator[Path]:
    """A cache of the test session's own, with the engine that is already built."""
    folder = tmp_path_factory.mktemp("cache")
    tools = cache_folder() / "tools"
    if tools.exists():
        (folder / "tools").symlink_to(tools)  # servers that the user installed
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
    """Command lines of processes (this one's own apart) that run in one of these folders."""
    found = []
    for process in psutil.process_iter(["pid", "cmdline", "status"]):
        if process.info["pid"] == os.getpid() or process.info["status"] == psutil.STATUS_ZOMBIE:
            continue
        try:
            place = Path(process.cwd())
        except psutil.Error:
            continue
        if any(place.is_relative_to(folder) for folder in folders):
            found.append(" ".join(process.info["cmdline"] or []))
    return found
