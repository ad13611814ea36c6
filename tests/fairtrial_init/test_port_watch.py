"""A service that listens elsewhere than it is said to: the port is named."""

import subprocess
import sys
import time
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial_init.port_watch import PortWatch
from fairtrial_init.try_once import _remedy

LISTENS = """
import socket, sys
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    sys.stdin.read()
"""


def test_a_port_of_a_process_below_is_seen() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LISTENS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        port = int(process.stdout.readline())
        with PortWatch() as watch:
            deadline = time.monotonic() + 30
            while port not in watch.ports:
                assert process.poll() is None and time.monotonic() < deadline
        process.stdin.close()


def test_what_to_do_about_a_wrong_port(snapshot: object) -> None:
    file = Path("fairtrial.toml")
    late = Problem("it was not ready within 30 s (nothing listened on its port)")
    assert _remedy(late, None, {3000}, file) == snapshot
    assert "mend `command`, `port` or `ready`" in _remedy(late, 3000, {3000}, file)
    assert "by `ready_within_seconds`" in _remedy(late, None, {44_873}, file), "the port that it was given"
    ended = Problem("it ended with status 1 before it was ready:")
    assert "it listened" not in _remedy(ended, None, {3000}, file)
    assert _remedy(Problem("port 81 is held by x (process 7)", "end it"), 81, {3000}, file) == "end it"
