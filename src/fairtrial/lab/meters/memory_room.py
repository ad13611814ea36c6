"""Whether the memory of the machine holds all that is to be up at once."""

from collections.abc import Callable

import psutil

from fairtrial.lab.meters.cgroup import Cgroup
from fairtrial.lab.meters.machine import ROOT

RESERVE_SHARE = 0.05
"""Of the memory. With less available, the check memory-short warns."""


def available_and_total() -> tuple[int, int]:
    """The bytes that can be had without swapping, and all of them: of the machine, or of the control group if that
    leaves less."""
    memory = psutil.virtual_memory()
    limit, charged = Cgroup(ROOT).memory()
    if limit is not None and charged is not None and limit - charged < memory.available:
        return limit - charged, limit
    return memory.available, memory.total


class MemoryRoom:
    """Watches how much memory is taken, since it was made, while one thing after the other is started.

    Under load, what has been started may come to need as much again: buffers are filled, heaps grow. So the room is
    full when what is available does not hold all of that a second time.
    """

    def __init__(self, read: Callable[[], tuple[int, int]] = available_and_total) -> None:
        self._read = read
        self._available_at_first, _ = read()

    def is_full(self) -> bool:
        """Whether nothing more should be started."""
        available, total = self._read()
        use = max(self._available_at_first - available, 0)
        return available - use < RESERVE_SHARE * total
