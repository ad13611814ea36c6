"""Fixtures of services that run servers."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairtrial.locations import cache_folder
from tests.conftest import left_running

INSTALLED_TOOLS = cache_folder() / "tools"


@pytest.fixture(scope="session", autouse=True)
def tools(cache: Path) -> None:
    """Programs that the user had the lab install are in the tests' cache as well."""
    if INSTALLED_TOOLS.exists():
        (cache / "tools").symlink_to(INSTALLED_TOOLS)


@pytest.fixture(scope="module")
def temporary() -> Iterator[Path]:
    """A folder for temporary files that servers of another user can reach; empty at the end, and nobody runs there.

    Its path is short: sockets lie below it.
    """
    folder = Path(tempfile.mkdtemp(prefix="ft-"))
    folder.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        patch.setenv("TMPDIR", str(folder))
        yield folder
    left, running = [path.name for path in folder.iterdir()], left_running(folder)
    shutil.rmtree(folder)
    assert (left, running) == ([], [])
