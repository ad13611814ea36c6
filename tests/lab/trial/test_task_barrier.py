"""Where tasks gather: nobody is let go before all are there, and the lab never waits for those who do not come."""

import socket
import threading
from pathlib import Path

import pytest

from fairtrial.lab.trial.task_barrier import RELEASE, TaskBarrier, Token


def connected(barrier: TaskBarrier) -> socket.socket:
    there = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    there.connect(str(barrier.path))
    return there


def test_all_are_let_go_when_the_last_one_is_there() -> None:
    seen: list[int] = []
    with TaskBarrier(3, lambda: seen.append(barrier.arrived)) as barrier:
        with connected(barrier) as there:
            there.sendall(b"..")
            there.settimeout(0.2)
            try:
                early = there.recv(1)
            except TimeoutError:
                early = b""
            assert early == b""
            there.settimeout(30)
            there.sendall(b".")
            assert there.recv(1) == RELEASE
        path = barrier.path
    assert seen == [3]
    assert (barrier.arrived, barrier.released) == (3, True)
    assert not path.parent.exists()


@pytest.mark.parametrize(("line", "number", "answer"), [(b"42\n", 42, RELEASE), (b"forty\n", None, b"")])
def test_a_token_leaves_when_all_are_there_and_they_stay_until_it_is_back(
    line: bytes, number: int | None, answer: bytes
) -> None:
    seen: list[str] = []
    token = Token(7, lambda: seen.append("back"))
    with TaskBarrier(2, lambda: seen.append("all"), token) as barrier, connected(barrier) as there:
        there.settimeout(30)
        there.sendall(b"..")
        assert there.recv(16) == b"7\n"
        assert seen == ["all"]
        there.sendall(line)
        assert there.recv(16) == answer
    assert (barrier.last_token, barrier.released) == (number, number is not None)
    assert seen == (["all", "back"] if number else ["all"])


def test_nobody_comes() -> None:
    with TaskBarrier(3, lambda: None) as barrier:
        path: Path = barrier.path
    assert barrier.arrived == 0
    assert not path.parent.exists()


def test_some_come_and_wait() -> None:
    """The lab goes on when the program's time is over: the connection ends without the byte."""
    with TaskBarrier(3, lambda: None) as barrier:
        there = connected(barrier)
        there.sendall(b"..")
    with there:
        try:
            left = there.recv(1)
        except ConnectionResetError:
            left = b""
    assert left == b""
    assert barrier.arrived <= 2


def test_some_come_and_leave() -> None:
    with TaskBarrier(3, lambda: None) as barrier, connected(barrier) as there:
        there.sendall(b"..")
        there.shutdown(socket.SHUT_WR)
        assert there.recv(1) == b""  # read to the end, and answered by the end
        assert barrier.arrived == 2


@pytest.mark.parametrize("token", [None, 7])
def test_who_leaves_before_all_are_let_go_has_not_waited(token: int | None) -> None:
    """The program goes while the lab still looks at its tasks."""
    looking, gone = threading.Event(), threading.Event()

    def look() -> None:
        looking.set()
        gone.wait(30)

    with TaskBarrier(2, look, None if token is None else Token(token, lambda: None)) as barrier:
        with connected(barrier) as there:
            there.sendall(b"..")
            assert looking.wait(30)
        gone.set()
    assert (barrier.arrived, barrier.released) == (2, False)


def test_who_only_sends_no_more_has_waited() -> None:
    with TaskBarrier(2, lambda: None) as barrier, connected(barrier) as there:
        there.settimeout(30)
        there.sendall(b"..")
        there.shutdown(socket.SHUT_WR)
        assert there.recv(1) == RELEASE
    assert barrier.released
