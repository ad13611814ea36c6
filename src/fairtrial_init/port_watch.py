"""Where the processes below this one listen, while something is waited for: a wrong port is then named."""

import os
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

import psutil

from fairtrial.engine.process_tree import processes_below

LOOK_EVERY_SECONDS = 0.25


class PortWatch:
    """Looks while its context is open.

    Attributes:
        ports: TCP ports on which some process below this one listened.
    """

    def __init__(self) -> None:
        self.ports: set[int] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK_EVERY_SECONDS):
            for process in processes_below(os.getpid()):
                with suppress(psutil.Error):
                    connections = process.net_connections(kind="tcp")
                    self.ports |= {each.laddr.port for each in connections if each.status == psutil.CONN_LISTEN}
