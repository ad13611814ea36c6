"""Somebody else on this machine, who is at work while something is measured."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def busy(cpu: int) -> Iterator[None]:
    """Somebody else's process, at work on this processor."""
    process = subprocess.Popen([sys.executable, "-c", f"import os; os.sched_setaffinity(0, [{cpu}])\nwhile True: pass"])
    try:
        yield
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
