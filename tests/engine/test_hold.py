"""Processes that stand still for a moment, and go on; or end with the lab."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from fairtrial.engine import guard
from fairtrial.engine.hold import hold
from tests.conftest import left_running
from tests.engine.test_guard import begin
from tests.waiting import PATIENCE_SECONDS, wait_for

COUNTING = "touch started; while true; do sh -c 'echo >> count' & sleep 0.005; done"
"""It starts processes all the time, and threads of them count."""

HOLDS_FOR_EVER = """
import os, sys, time
from pathlib import Path
from fairtrial.engine import guard
from fairtrial.engine.hold import hold
guard.GRACE_SECONDS = 0.3
with open("log", "wb") as log:
    guarded = guard.Guarded(["sh", "-c", sys.argv[1]], folder=Path.cwd(), environment=os.environ, output=log)
while not os.path.exists("started"):
    time.sleep(0.01)
with hold(guarded.pid):
    print("holding", flush=True)
    time.sleep(3600)
"""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, engine: Path) -> None:
    monkeypatch.setattr(guard, "GRACE_SECONDS", 0.3)


def counted(folder: Path) -> int:
    return len((folder / "count").read_bytes()) if (folder / "count").exists() else 0


def test_nothing_below_a_guard_runs_until_it_goes_on(tmp_path: Path) -> None:
    with begin(tmp_path, COUNTING) as guarded:
        wait_for(lambda: counted(tmp_path) > 3, "it counts")
        with hold(guarded.pid):
            before = counted(tmp_path)
            states = {each.status() for each in psutil.Process(guarded.pid).children(recursive=True)}
            assert states <= {psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE, psutil.STATUS_DISK_SLEEP}
            time.sleep(0.1)
            assert counted(tmp_path) == before
        wait_for(lambda: counted(tmp_path) > before + 3, "it goes on")
        with pytest.raises(KeyboardInterrupt), hold(guarded.pid):
            raise KeyboardInterrupt
        assert not guarded.stop().forced, "it goes on, and ends as it is told"
    assert left_running(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_lab_that_dies_meanwhile_leaves_nothing_that_stands_still(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS_FOR_EVER, COUNTING],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as lab:
        assert lab.stdout and lab.stdout.readline() == "holding\n", lab.communicate()
        lab.send_signal(number)
        lab.wait(PATIENCE_SECONDS)
    wait_for(lambda: left_running(tmp_path) == [], "all is gone")
