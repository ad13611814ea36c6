"""The process of a private server: awaited if it is slow, ended with its log if it does not serve, restarted."""

import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from fairtrial.base.loopback import listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common import server as server_module
from fairtrial.catalog.services.common import stopped
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.services.common.server import PrivateServer
from tests.conftest import left_running
from tests.waiting import wait_for

LISTENS_LATE = """
import socket, sys, time
print("recovering a journal", flush=True)
time.sleep(float(sys.argv[2]))
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
time.sleep(60)
"""


def late(seconds: float, folder: Path) -> PrivateServer:
    def command(_data: Path, port: int) -> list[str]:
        return [sys.executable, "-c", LISTENS_LATE, str(port), str(seconds)]

    return PrivateServer("a database", folder, command, listens)


def test_a_slow_server_is_awaited(temporary: Path) -> None:
    with run_folder("late") as folder, late(0.7, folder) as server:
        server.start()
        assert listens(server.port)
        assert server.fault() is None


def test_a_server_that_does_not_serve_is_ended_and_its_log_shown(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "READY_WITHIN_SECONDS", 0.5)
    with run_folder("late") as folder:
        with late(60, folder) as server, pytest.raises(Problem, match="database did not serve within") as caught:
            server.start()
        assert "recovering a journal" in caught.value.reason
        assert left_running(folder) == []


def test_a_restarted_server_has_the_same_port_and_new_data(temporary: Path) -> None:
    with run_folder("late") as folder, late(0.0, folder) as server:
        loaded = folder / "loaded"
        loaded.mkdir()
        (loaded / "rows").write_text("as loaded")
        server.start(loaded)
        port = server.port
        (server.data / "rows").write_text("altered")
        server.restart(loaded)
        assert (server.port, (server.data / "rows").read_text()) == (port, "as loaded")
        server.restart()
        assert listens(port) and not server.data.exists()


def test_a_server_that_was_stopped_is_killed_and_told(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    """Whoever waits for its answer would wait for ever."""
    monkeypatch.setattr(stopped, "LOOK_EVERY_SECONDS", 0.05)
    with run_folder("late") as folder, late(0.0, folder) as server:
        server.start()
        (process,) = psutil.Process(server.pid).children()
        with socket.create_connection(("127.0.0.1", server.port)) as waiting:
            waiting.settimeout(30)
            process.send_signal(signal.SIGSTOP)
            with suppress(ConnectionError):
                assert waiting.recv(1) == b"", "it is waited for no longer"
        assert wait_for(server.fault, "its fault is known") == snapshot
        server.restart()
        assert server.fault() is None


def test_a_server_that_goes_on_at_once_is_left_alone(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # By process: for a moment there may be two of them below the guard.
    looks: dict[int, Iterator[bool]] = {}
    over = threading.Event()

    def is_stopped(pid: int) -> bool:
        look = next(looks.setdefault(pid, iter([True, False, True, False])), None)
        if look is None:
            over.set()
        return look is True

    monkeypatch.setattr(stopped, "LOOK_EVERY_SECONDS", 0.02)
    monkeypatch.setattr(stopped, "is_stopped", is_stopped)
    with run_folder("late") as folder, late(0.0, folder) as server:
        server.start()
        assert over.wait(30)
        assert server.fault() is None
