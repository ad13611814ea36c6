"""A Dask worker on a host, for as long as whoever started it by SSH holds its standard input.

Its certificate comes by that input, so that it is on no disk and in no command line there.
"""

import asyncio
import os
import sys
import tempfile
import threading
from typing import Any

from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.strict import Strict
from fairtrial.cluster.connection import security_of
from fairtrial.cluster.settings import values

LONGEST_TASK_BYTES = 1 << 20
ANY_PORT_HERE = f"{LOOPBACK}:0"
"""Where Dask's HTTP server is, which cannot be left out. It has no pages: `cluster.settings`."""
SCHEDULER_LOST_SECONDS = 30.0
"""A worker that finds no scheduler for so long ends."""


class Credentials(Strict):
    """A certificate that is its own authority, and its key: whoever has both is let in. PEM."""

    certificate: str
    key: str

    def security(self) -> Any:
        """The same as a `distributed.Security`: encrypted, and each side shows the certificate."""
        parts = {
            f"tls_{end}_{part}": text
            for end in ("client", "scheduler", "worker")
            for part, text in (("cert", self.certificate), ("key", self.key))
        }
        return security_of({"require_encryption": True, "tls_ca_file": self.certificate, **parts})


class WorkerTask(Strict):
    """A worker's orders, on the first line of its input."""

    scheduler: str
    name: str
    address: str
    """of its host, at which it listens"""
    roles: list[str]
    environment: dict[str, str]
    credentials: Credentials


def main() -> None:
    """Read a task from standard input, and be that worker until the input ends, or the scheduler does."""
    import dask  # noqa: PLC0415 an optional part

    task = WorkerTask.model_validate_json(sys.stdin.buffer.readline(LONGEST_TASK_BYTES))
    os.environ.update(task.environment)
    with (
        dask.config.set(values("workers")),
        tempfile.TemporaryDirectory(prefix="fairtrial-worker-") as folder,
    ):
        asyncio.run(_work(task, folder))


async def _work(task: WorkerTask, folder: str) -> None:
    from distributed import Worker  # noqa: PLC0415 an optional part

    input_ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def await_the_end() -> None:
        while sys.stdin.buffer.read(1):
            pass
        loop.call_soon_threadsafe(input_ended.set)

    threading.Thread(target=await_the_end, daemon=True).start()
    worker = await Worker(
        task.scheduler,
        host=task.address,
        name=task.name,
        nthreads=1,
        resources=dict.fromkeys(task.roles, 1),
        security=task.credentials.security(),
        dashboard=False,
        dashboard_address=ANY_PORT_HERE,
        local_directory=folder,
        death_timeout=SCHEDULER_LOST_SECONDS,
    )
    ends = {asyncio.ensure_future(worker.finished()), asyncio.ensure_future(input_ended.wait())}
    await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    await worker.close(timeout=5)
