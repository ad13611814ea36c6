"""Temporary folders in which servers can work, watched for what they leave."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import left_running


@contextmanager
def watched_folder() -> Iterator[Path]:
    """The temporary folder meanwhile: servers of another user reach it; at the end it is empty and nobody runs there.

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


@pytest.fixture(scope="module")
def temporary(cache: Path) -> Iterator[Path]:
    """For servers that all tests of a module share; what they load is kept in the tests' own cache."""
    del cache
    with watched_folder() as folder:
        yield folder


@pytest.fixture
def servers(cache: Path) -> Iterator[Path]:
    """For the servers of one test."""
    del cache
    with watched_folder() as folder:
        yield folder
