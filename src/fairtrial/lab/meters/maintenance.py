"""The work that the services of a trial do for themselves in its window, by their own counters."""

import time
from collections.abc import Iterable, Mapping

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import MaintenanceReading, RunningService, TellsMaintenance
from fairtrial.record.database import Maintenance

NOT_TOLD = MaintenanceReading({}, frozenset())


class MaintenanceWatch:
    """Reads the counters of those services that have some, from `open` to `close`. Each reading is one query."""

    def __init__(self, services: Iterable[RunningService]) -> None:
        self._services = {each.identity.name: each for each in services if isinstance(each, TellsMaintenance)}

    def open(self) -> None:
        """The window opens."""
        self._opened_at, self._before = time.monotonic(), self._readings()

    def close(self) -> dict[str, Maintenance]:
        """The window closes. By service, what it did; those that tell nothing of the kind are missing."""
        seconds, after = time.monotonic() - self._opened_at, self._readings()
        return {
            name: Maintenance(
                seconds=seconds,
                # One that shrank began anew: the server was started again, or what it is summed up over is gone.
                counted={
                    counter: now - before.counted[counter]
                    for counter, now in after[name].counted.items()
                    if counter in before.counted and now >= before.counted[counter]
                },
                running=sorted(before.running | after[name].running),
            )
            for name, before in self._before.items()
            if name in after
        }

    def _readings(self) -> Mapping[str, MaintenanceReading]:
        return {name: reading for name, each in self._services.items() if (reading := _reading(each)) is not None}


def _reading(service: TellsMaintenance) -> MaintenanceReading | None:
    try:
        return service.maintenance()
    except Problem:  # one that has died is told by others
        return NOT_TOLD
