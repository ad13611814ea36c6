"""Temporary folders in which servers can work, watched for what they leave; and servers that the tests here share."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fairtrial.catalog.services.common import loading
from fairtrial.catalog.services.mongodb import client as mongodb_client
from tests.catalog.services.shared import REPORT_EVERY_ROWS, Shared
from tests.conftest import left_running


@contextmanager
def watched_folder() -> Iterator[Path]:
    """The temporary folder meanwhile: servers of another user reach it; at the end it is empty and nobody runs there.

    Its path is short: sockets lie below it.
    """
    folder = Path(tempfile.mkdtemp(prefix="ft-", dir="/tmp"))
    folder.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        patch.setenv("TMPDIR", str(folder))
        yield folder
    left, running = [path.name for path in folder.iterdir()], left_running(folder)
    shutil.rmtree(folder)
    assert (left, running) == ([], [])


@pytest.fixture(scope="package", autouse=True)
def quick() -> Iterator[None]:
    """Progress of loading is reported for few rows already, and a server that is gone is not awaited for long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "REPORT_EVERY_ROWS", REPORT_EVERY_ROWS)
        patch.setattr(mongodb_client, "CONNECTS_WITHIN_MILLISECONDS", 1_000)
        yield


@pytest.fixture(scope="package")
def temporary(cache: Path) -> Iterator[Path]:
    """For servers of all tests here; what they load is kept in the tests' own cache."""
    del cache
    with watched_folder() as folder:
        yield folder


@pytest.fixture
def run_folders(temporary: Path) -> Iterator[Path]:
    """For the servers of one test."""
    del temporary
    with watched_folder() as folder:
        yield folder


@pytest.fixture(scope="package")
def shared(temporary: Path, quick: None) -> Iterator[Shared]:
    """Servers that all tests here share, each started when it is first needed."""
    with Shared(temporary) as servers:
        yield servers
