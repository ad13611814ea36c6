"""The engine's own server as a slow upstream: calibrated answers, planned delays. It is no service of its own name: a
workload that calls out says how it is to answer."""

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fairtrial.engine.binary import engine_binary
from fairtrial.engine.guard import Guarded
from fairtrial.placement.cpus import LOOPBACK, free_port, listens
from fairtrial.problem import Problem

READY_WITHIN_SECONDS = 10.0
ASK_EVERY_SECONDS = 0.02


@contextmanager
def upstream(arguments: Sequence[str], cpus: Sequence[int]) -> Iterator[str]:
    """Run `fairtrial-engine target` with these arguments; yields its URL, and stops it at the end.

    Raises:
        Problem: it does not listen within ten seconds.
    """
    port = free_port()
    command = [str(engine_binary()), "target", "--listen", f"{LOOPBACK}:{port}", *arguments]
    with (
        tempfile.TemporaryFile() as output,
        Guarded(command, folder=Path("/"), environment=os.environ, output=output, cpus=cpus) as process,
    ):
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        while not listens(port):
            if process.status() is not None or time.monotonic() > deadline:
                output.seek(0)
                raise Problem(f"the upstream did not start: {output.read(2000).decode(errors='replace').strip()}")
            time.sleep(ASK_EVERY_SECONDS)
        yield f"http://{LOOPBACK}:{port}/"
