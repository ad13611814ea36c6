"""Servers that take their time: those that come are awaited, those that do not are told and ended."""

import sys
from pathlib import Path

import pytest

from fairtrial.base.loopback import listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.private import server as private
from fairtrial.catalog.services.private.folder import run_folder
from fairtrial.catalog.services.private.server import PrivateServer
from tests.conftest import left_running

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


def test_one_that_comes_late_is_awaited(temporary: Path) -> None:
    with run_folder("late") as folder, late(0.7, folder) as server:
        server.start()
        assert listens(server.port)
        assert server.fault() is None


def test_one_that_does_not_come_is_told_with_what_it_says_and_ended(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private, "READY_WITHIN_SECONDS", 0.5)
    with run_folder("late") as folder:
        with late(60, folder) as server, pytest.raises(Problem, match="a database did not serve within") as caught:
            server.start()
        assert "recovering a journal" in caught.value.reason
        assert left_running(folder) == []
