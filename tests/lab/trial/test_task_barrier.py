"""Where tasks gather: nobody is let go before all are there, and the lab never waits for those who do not come."""

import socket
from pathlib import Path

from fairtrial.lab.trial.task_barrier import RELEASE, TaskBarrier


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
    assert barrier.arrived == 3
    assert not path.parent.exists()


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
