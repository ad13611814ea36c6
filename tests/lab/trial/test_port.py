"""The port a stack is given, and who answers on it."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks import run
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Variant
from fairtrial.catalog.stacks.requests import StartRequest
from fairtrial.catalog.stacks.run import free_port, start_process
from tests.command_line import Lab

ANSWERS_200 = """
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_a_free_port_can_be_bound() -> None:
    with socket.create_server(("127.0.0.1", free_port())):
        pass


def test_a_port_that_somebody_else_answers_on_is_refused(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stack never listens; another program took its port and says it is well."""
    lab.stack("silent", "never-listens")
    stack = find_stacks([lab.stacks])["silent"]
    with subprocess.Popen([sys.executable, "-c", ANSWERS_200], stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout
            taken = int(other.stdout.readline())
            monkeypatch.setattr(run, "free_port", lambda _host: taken)
            with pytest.raises(Problem, match="not the stack's"):
                start_process(
                    StartRequest(
                        stack,
                        stack.variants.get("default") or Variant(),
                        stack.folder,
                        settings={"DATABASE_URL": "sqlite:////nowhere"},
                        cpus=[],
                        log=tmp_path / "log",
                    )
                )
        finally:
            other.kill()
