"""Where tasks gather: nobody is let go before all are there, and the lab never waits for those who do not come."""

import socket
from pathlib import Path

from fairtrial.lab.trial.task_barrier import GO, Gathering


def connected(gathering: Gathering) -> socket.socket:
    there = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    there.connect(str(gathering.path))
    return there


def test_all_are_let_go_when_the_last_one_is_there() -> None:
    seen: list[int] = []
    with Gathering(3, lambda: seen.append(gathering.arrived)) as gathering:
        with connected(gathering) as there:
            there.sendall(b"..")
            there.settimeout(0.2)
            try:
                early = there.recv(1)
            except TimeoutError:
                early = b""
            assert early == b""
            there.settimeout(30)
            there.sendall(b".")
            assert there.recv(1) == GO
        path = gathering.path
    assert seen == [3]
    assert gathering.arrived == 3
    assert not path.parent.exists()


def test_nobody_comes() -> None:
    with Gathering(3, lambda: None) as gathering:
        path: Path = gathering.path
    assert gathering.arrived == 0
    assert not path.parent.exists()


def test_some_come_and_wait() -> None:
    """The lab goes on when the program's time is over: the connection ends without the byte."""
    with Gathering(3, lambda: None) as gathering:
        there = connected(gathering)
        there.sendall(b"..")
    with there:
        try:
            left = there.recv(1)
        except ConnectionResetError:
            left = b""
    assert left == b""
    assert gathering.arrived <= 2


def test_some_come_and_leave() -> None:
    with Gathering(3, lambda: None) as gathering, connected(gathering) as there:
        there.sendall(b"..")
        there.shutdown(socket.SHUT_WR)
        assert there.recv(1) == b""  # read to the end, and answered by the end
        assert gathering.arrived == 2
