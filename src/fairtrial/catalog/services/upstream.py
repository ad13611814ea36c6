"""The engine's own server as a slow upstream: calibrated answers, planned delays.

It is not a service that an experiment can name: a workload that calls an upstream says how it answers.
"""

import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from fairtrial.base.loopback import LOOPBACK, free_port, listens
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.engine.binary import engine_binary
from fairtrial.engine.guard import Guarded

READY_WITHIN_SECONDS = 10.0
ASK_EVERY_SECONDS = 0.02


class Upstream:
    """A running `fairtrial-engine target`, which tells at its end what it served."""

    def __init__(self, port: int, process: Guarded, output: BinaryIO) -> None:
        self.url = f"http://{LOOPBACK}:{port}/"
        self._process, self._output = process, output

    def served(self) -> int:
        """Stop it, and return how many complete answers it handed to the kernel; it tells that only when it ends.

        Raises:
            Problem: it ended without telling.
        """
        self._process.stop()
        self._output.seek(0)
        output = self._output.read().decode(errors="replace")
        for line in reversed(output.splitlines()):
            if '"served"' in line:
                return int(json.loads(line)["requests"])
        raise Problem(
            f"the upstream ended without telling what it served: {printable(output.strip(), 300)}",
            "run it again",
        )


@contextmanager
def upstream(arguments: Sequence[str], cpus: Sequence[int]) -> Iterator[Upstream]:
    """Run `fairtrial-engine target` with these arguments, and stop it at the end.

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
        yield Upstream(port, process, output)
