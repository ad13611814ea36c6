"""All that is metered in the window of a trial, opened and closed together."""

import time
from collections.abc import Collection, Iterable
from typing import Any

from fairtrial.catalog.services.model import RunningService
from fairtrial.engine.process_tree import Root
from fairtrial.lab.meters.machine import MachineWatch
from fairtrial.lab.meters.maintenance import MaintenanceWatch
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.lab.meters.service import ServiceMeter, meter_of
from fairtrial.lab.meters.stray_threads import StrayThreadWatch
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.record.model import TrialRecord


class Window:
    """Meters the stack, its services, its balancer, the machine and the network from `open` to `close`.

    Args:
        server_cpus: on which the stack is to stay.
        services: the database first.
        roots: what the processes of the stack lie below; empty: they are not known, or `server` is set later.
        balancer: the meter of one on a host of its own.
    """

    def __init__(
        self,
        server_cpus: Collection[int],
        services: Iterable[RunningService],
        roots: Collection[Root] = (),
        balancer: ServiceMeter | None = None,
    ) -> None:
        database, *_ = services = list(services)
        self.stray_threads = StrayThreadWatch(server_cpus)
        self.server = TreeMeter(*roots, stray_threads=self.stray_threads) if roots else None
        self._service, self._balancer = meter_of(database), balancer
        self._machine, self._network = MachineWatch(server_cpus, beside=roots), NetworkWatch()
        self._maintenance = MaintenanceWatch(services)
        self._metered: dict[str, Any] = {}
        """by the field of the record"""

    @property
    def _meters(self) -> list[ServiceMeter]:
        return [meter for meter in (self.server, self._service, self._balancer) if meter is not None]

    def open(self) -> None:
        """Open the window."""
        # First: to look through the machine takes milliseconds, and the meters have begun to miss the window.
        for meter in self._meters:
            meter.prepare()
        for meter in self._meters:
            meter.open()
        self._machine.open()
        self._network.open()
        self._maintenance.open()

    def close(self) -> None:
        """Close the window."""
        ended, metered = time.monotonic(), self._metered
        if self.server is not None:
            metered |= {"server": self.server.close(), "stray_threads": self.stray_threads.result()}
        metered |= {"machine": self._machine.close(), "network": self._network.close()}
        # Last: of those on hosts of their own, the answers are waited for.
        for name, meter in (("service", self._service), ("balancer", self._balancer)):
            if meter is not None:
                metered[name] = meter.close(time.monotonic() - ended)
                metered[f"{name}_machine"] = meter.machine
        metered["maintenance"] = self._maintenance.close()

    def put_into(self, record: TrialRecord) -> None:
        """Put what was metered into the record."""
        for name, value in self._metered.items():
            setattr(record, name, value)

    def abandon(self) -> None:
        """Stop what still meters."""
        for meter in self._meters:
            meter.abandon()
