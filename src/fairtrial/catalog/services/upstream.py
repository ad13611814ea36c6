"""The engine's own server as a slow upstream: calibrated answers, planned delays.

It is not a service that an experiment can name: a workload that calls an upstream says how it answers.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fairtrial.engine.server import EngineServer, engine_server


class Upstream:
    """A running `fairtrial-engine target`, which tells at its end what it served."""

    def __init__(self, server: EngineServer) -> None:
        self.url = f"http://{server.address}/"
        self._server = server

    def served(self) -> int:
        """Stop it, and return how many complete answers it handed to the kernel; it tells that only when it ends.

        Raises:
            Problem: it ended without telling.
        """
        return int(self._server.account("served")["requests"])


@contextmanager
def upstream(arguments: Sequence[str], cpus: Sequence[int]) -> Iterator[Upstream]:
    """Run `fairtrial-engine target` with these arguments, and stop it at the end.

    Raises:
        Problem: it does not listen within ten seconds.
    """
    with engine_server("the upstream", "target", arguments, cpus) as server:
        yield Upstream(server)
