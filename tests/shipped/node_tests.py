"""The tests that a stack in JavaScript has of its own, run by Node's test runner."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = shutil.which("node")

needs_node = pytest.mark.skipif(NODE is None, reason="needs Node.js (Debian: apt install nodejs npm)")


def node_tests_that_pass(folder: Path) -> int:
    """How many tests below `folder` pass; fails with the runner's output if one does not.

    They import nothing that npm would have to install.
    """
    assert NODE
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    done = subprocess.run(
        [NODE, "--test", "--test-reporter=tap"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)
    assert passed
    return int(passed[1])
