"""The tests that a stack in JavaScript has of its own, run by Node's test runner."""

import os
import re
import subprocess
from pathlib import Path


def node_tests_that_pass(folder: Path) -> int:
    """How many tests below `folder` pass; fails with the runner's output if one does not.

    They import nothing that npm would have to install.
    """
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap"],
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
