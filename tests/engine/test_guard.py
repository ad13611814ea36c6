"""A guard that is killed or stopped, by the kernel or by what it guards: nothing is left, and nothing is waited for."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine import guard
from fairtrial.engine.guard import Guarded
from tests.conftest import left_running
from tests.waiting import PATIENCE_SECONDS, wait_for

DETACHING = "sleep 314 & setsid sleep 315 & touch started; wait"
"""A command that detaches a process from itself, as daemons do."""
STOPPING = "sleep 314 & touch started; while true; do kill -STOP $PPID; sleep 0.01; done"
"""One that stops its guard, again and again."""
LINGERING = "trap 'sleep 0.5; exit' TERM; touch started; while true; do sleep 0.01; done"
"""One that does not end at once."""


def begin(folder: Path, script: str) -> Guarded:
    """Run a script below a guard, and return when it has begun."""
    with (folder / "log").open("wb") as log:
        guarded = Guarded(["sh", "-c", script], folder=folder, environment=os.environ, output=log)
    wait_for((folder / "started").exists, "it has started")
    return guarded


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, engine: Path) -> None:
    monkeypatch.setattr(guard, "GRACE_SECONDS", 0.3)
    monkeypatch.setattr(guard, "SPARE_SECONDS", 0.3)


def test_what_a_killed_guard_left_is_ended(tmp_path: Path) -> None:
    others = subprocess.Popen(["sleep", "316"], start_new_session=False)
    with begin(tmp_path, "sleep 317 & touch started; wait") as other:
        (tmp_path / "started").unlink()
        guarded = begin(tmp_path, DETACHING)
        wait_for(lambda: len(psutil.Process(guarded.pid).children(recursive=True)) == 3, "all three run")
        os.kill(guarded.pid, signal.SIGKILL)
        assert guarded.wait(PATIENCE_SECONDS) == -signal.SIGKILL
        assert not guarded.stop().forced, "it had ended by itself"
        assert [line for line in left_running(tmp_path) if "31" in line and "317" not in line] == []
        assert other.status() is None and len(psutil.Process(other.pid).children(recursive=True)) == 2
    assert others.poll() is None, "what the lab started itself is none of a guard's"
    others.kill()
    others.wait()


def test_a_stopped_guard_is_woken_up_and_ends_what_it_guards(tmp_path: Path) -> None:
    guarded = begin(tmp_path, DETACHING)
    os.kill(guarded.pid, signal.SIGSTOP)
    assert not guarded.stop().forced
    assert left_running(tmp_path) == []


def test_a_guard_that_is_stopped_again_and_again_is_killed(tmp_path: Path) -> None:
    guarded = begin(tmp_path, STOPPING)
    guarded.stop()
    assert left_running(tmp_path) == []


def test_a_stack_that_was_stopped_is_killed_in_time(tmp_path: Path) -> None:
    guarded = begin(tmp_path, "touch started; kill -STOP $$")
    wait_for(lambda: psutil.Process(guarded.pid).children()[0].status() == psutil.STATUS_STOPPED, "it is stopped")
    assert guarded.stop().forced
    assert left_running(tmp_path) == []


def test_a_lab_that_is_killed_wakes_its_stopped_guards(tmp_path: Path) -> None:
    """Nobody else is there to do it."""
    lab = f"""
import os, pathlib, signal, time
from fairtrial.engine.guard import Guarded
folder = pathlib.Path({str(tmp_path)!r})
guarded = Guarded(["sh", "-c", {DETACHING!r}], folder=folder, environment=os.environ, output=open("/dev/null", "wb"))
while not (folder / "started").exists():
    time.sleep(0.005)
os.kill(guarded.pid, signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", lab], check=False)
    wait_for(lambda: left_running(tmp_path) == [], "nothing runs any more")


@pytest.mark.parametrize("moment", ["subprocess._fork_exec", "guard.Guarded.__init__"])
def test_an_interrupt_behind_its_start_leaves_nothing(tmp_path: Path, moment: str) -> None:
    """Nobody has it yet who would stop it; and what it guards takes a while to end."""
    lab = f"""
import os, pathlib, signal, subprocess, time
from fairtrial.engine import guard
guard.guard_binary()
folder, start = pathlib.Path({str(tmp_path)!r}), {moment}
def interrupted(*arguments, **options):
    started = start(*arguments, **options)
    while not (folder / "started").exists():
        time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGINT)
    return started
{moment} = interrupted
try:
    guard.Guarded(["sh", "-c", {LINGERING!r}], folder=folder, environment=os.environ, output=open("/dev/null", "wb"))
except KeyboardInterrupt:
    raise SystemExit(130)
"""
    assert subprocess.run([sys.executable, "-c", lab], check=False).returncode == 130
    assert left_running(tmp_path) == []


def test_a_program_that_is_named_with_a_folder_that_is_gone(tmp_path: Path) -> None:
    cannot = pytest.raises(Problem, match=r"`sleep 1` cannot .*: No such file")
    with open(os.devnull, "wb") as nobody, cannot:
        Guarded(["sleep", "1"], folder=tmp_path / "gone", environment={}, output=nobody)
