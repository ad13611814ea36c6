<<<<<<< HEAD
"""Fixtures of services that run servers."""
=======
"""A temporary folder in which servers can work, watched for what they leave; tools that were installed before."""
>>>>>>> c-kv

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

<<<<<<< HEAD
from tests.conftest import left_running


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
=======
from fairtrial.locations import cache_folder
from tests.conftest import left_running

INSTALLED_TOOLS = cache_folder() / "tools"


@pytest.fixture(scope="session", autouse=True)
def tools(cache: Path) -> None:
    """Programs that the user had the lab install are in the tests' cache as well."""
    if INSTALLED_TOOLS.exists():
        (cache / "tools").symlink_to(INSTALLED_TOOLS)


@pytest.fixture
def servers(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where private servers have their folders; after the test there is none of them, and no process of theirs."""
    folder = Path(tempfile.mkdtemp(prefix="fairtrial-test-"))
    folder.chmod(0o755)  # the servers' user is another one where the tests run as root
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    try:
        assert left_running(folder) == []
        assert list(folder.iterdir()) == []
    finally:
        shutil.rmtree(folder)
>>>>>>> c-kv
