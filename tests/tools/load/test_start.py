"""What `fairtrial load` imports before its first request."""

import subprocess
import sys

import pytest

from fairtrial.base.loopback import free_port


@pytest.mark.processes
def test_a_load_begins_without_what_judges_figures() -> None:
    """numpy takes longer to import than all else that the command itself needs."""
    closed = f"http://127.0.0.1:{free_port()}/"
    command = [sys.executable, "-X", "importtime", "-m", "fairtrial", "load", closed]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "connection refused" in done.stderr, "it came as far as the server"
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "fairtrial.tools.load.offer" in imported
    assert not {"numpy", "httpx", "fairtrial.lab.progress", "jinja2"} & imported
