"""Two labs on the same processors: the second waits or refuses, and a killed one is in nobody's way."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.lab import exclusive
from fairtrial.lab.exclusive import NAME, processors_held
from tests.lines import passage

CONTEXT = multiprocessing.get_context("fork")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAIRTRIAL_LOCKS", str(tmp_path))
    monkeypatch.setattr(exclusive, "RETRY_AFTER_SECONDS", 0.01)
    return tmp_path


def hold(cpus: list[int], told: Connection) -> None:
    """Another lab: it holds its processors until it is told to go on."""
    with processors_held(cpus, told.send):
        told.send("holds")
        told.recv()


@pytest.fixture
def other() -> Iterator[tuple[int, Connection]]:
    """A lab on processors 0 and 1: its process and what to talk to it by."""
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=hold, args=([1, 0], theirs))
    process.start()
    assert ours.recv() == "holds" and process.pid is not None
    yield process.pid, ours
    process.kill()
    process.join()


def test_a_second_lab_on_one_of_the_processors_is_refused_or_waits(
    other: tuple[int, Connection], snapshot: object
) -> None:
    pid, talk = other
    told: list[str] = []
    with (
        pytest.raises(Problem) as error,
        processors_held([1, 2], told.append, wait=False),
    ):
        pass
    assert passage(str(error.value).replace(str(pid), "PID"), "another lab", "process PID of") == snapshot

    def go_on(line: str) -> None:
        told.append(line)
        talk.send("go on")

    with processors_held([2, 1], go_on):
        assert told == [line for line in told if f"measures on processor 1: process {pid}" in line]
        assert len(told) == 1, "one line, however long it waits"


def test_labs_on_other_processors_do_not_wait(other: tuple[int, Connection]) -> None:
    with processors_held([2, 3], pytest.fail, wait=False):
        pass


def test_a_lab_that_was_killed_is_in_nobodys_way(other: tuple[int, Connection]) -> None:
    def kill(_line: str) -> None:
        os.kill(other[0], signal.SIGKILL)

    with processors_held([0, 1], kill):
        pass


@pytest.mark.parametrize("what", ["fifo", "link", "folder"])
def test_what_is_no_lock_is_told_and_not_waited_for(folder: Path, what: str) -> None:
    path = folder / NAME.format(cpu=0)
    if what == "fifo":
        os.mkfifo(path)
    elif what == "link":
        path.symlink_to("/etc/passwd")
    else:
        path.mkdir()
    told: list[str] = []
    with processors_held([0], told.append, wait=False):
        assert len(told) == 1 and "nobody is kept off processor 0" in told[0]


def test_every_user_may_lock_the_file_and_nobody_write_it(folder: Path) -> None:
    before = os.umask(0o077)
    try:
        with processors_held([0], pytest.fail):
            assert (folder / NAME.format(cpu=0)).stat().st_mode & 0o777 == 0o444
    finally:
        os.umask(before)
