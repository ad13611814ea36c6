"""The folder of a private server: a killed lab leaves no server running, and the next lab removes its folder."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fairtrial.catalog.services.common.folder import PREFIX, sweep
from tests.catalog.services.shared import SQL, Shared
from tests.conftest import left_running
from tests.machine.needs import needs
from tests.waiting import wait_for

LAB = """
import sys, time
from fairtrial.catalog.services.model import ServiceStart
from fairtrial.catalog.services import pick_service
from tests.catalog.services.stacks_side import tables
with pick_service(sys.argv[1]).start(ServiceStart(tables())) as running:
    print(running.pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in SQL])
def test_a_killed_lab_leaves_nothing(name: str, run_folders: Path, shared: Shared) -> None:
    with shared.private(name):
        pass  # so that the lab finds the tables in the cache
    with subprocess.Popen([sys.executable, "-c", LAB, name], stdout=subprocess.PIPE) as lab:
        assert lab.stdout is not None
        assert lab.stdout.readline().strip().isdigit()
        assert left_running(run_folders) != []
        assert sweep() == [], "a folder whose lab lives is left alone"
        lab.send_signal(signal.SIGKILL)
    wait_for(lambda: left_running(run_folders) == [], "nothing runs any more")
    (folder,) = sweep()
    assert not folder.exists()
    assert list(run_folders.iterdir()) == []


def test_what_others_put_in_the_place_of_a_lock_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody may make files in a shared folder: a FIFO is not waited for, and a link not followed."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "target").touch()
    (tmp_path / f"{PREFIX}link").mkdir()
    (tmp_path / f"{PREFIX}link.lock").symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / f"{PREFIX}fifo.lock")
    (tmp_path / f"{PREFIX}folder.lock").mkdir()
    (tmp_path / f"{PREFIX}gone").mkdir()
    (tmp_path / f"{PREFIX}gone.lock").touch()
    assert sweep() == [tmp_path / f"{PREFIX}gone"]
    assert (tmp_path / f"{PREFIX}link").is_dir()
