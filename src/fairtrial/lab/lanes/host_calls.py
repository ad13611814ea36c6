"""What the lab on a further host is asked, line by line, and of what type its answers are: both ends read it here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field, TypeAdapter

from fairtrial.base.strict import Strict
from fairtrial.catalog.services.model import DurabilityReading, MaintenanceReading
from fairtrial.record.identity import ServiceIdentity
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ServerMeter, Settle


class Call(Strict):
    """One line: a method, of a service or balancer that is up or (0) of the lab itself."""

    id: int
    target: int = 0
    method: str
    arguments: list[Any] = Field(default_factory=list)


@dataclass(frozen=True)
class Up:
    """A service that was brought up."""

    number: int
    """by which further calls name it"""
    url: str
    identity: ServiceIdentity
    durability_at_start: DurabilityReading | None
    loses_when_killed: str
    why_no_power_cut: str


@dataclass(frozen=True)
class BalancerUp:
    """A balancer that was brought up."""

    number: int
    port: int


@dataclass(frozen=True)
class Metered:
    """What a service or a balancer and its host did in a window."""

    processes: ServerMeter
    machine: MachineMeter


_NOTHING: TypeAdapter[Any] = TypeAdapter(None)
_NUMBER: TypeAdapter[Any] = TypeAdapter(int)

ANSWERS: Mapping[str, TypeAdapter[Any]] = {
    # the lab's own
    "up": TypeAdapter(Up),
    "up_balancer": TypeAdapter(BalancerUp),
    # those of a service, of which a balancer has the first
    "down": _NOTHING,
    "altered": TypeAdapter(bool),
    "reset": TypeAdapter(DurabilityReading | None),
    "counters": TypeAdapter(dict[str, int]),
    "end_sessions": _NOTHING,
    "durability": TypeAdapter(DurabilityReading),
    "sessions": _NUMBER,
    "maintenance": TypeAdapter(MaintenanceReading | None),
    "mark_unread": TypeAdapter(bool),
    "keys_read": _NUMBER,
    "change": _NOTHING,
    "change_all": _NOTHING,
    "kill": _NOTHING,
    "start_again": _NOTHING,
    "settle": TypeAdapter(Settle),
    # what lasts from one call to another
    "open_rows": _NUMBER,
    "next_rows": TypeAdapter(str),
    "open_changes": _NUMBER,
    "change_one": _NOTHING,
    "begin_changes": _NOTHING,
    "end_changes": TypeAdapter(list[tuple[int, int]]),
    "open_disk": _NUMBER,
    "close": _NOTHING,
    "open_meter": _NOTHING,
    "close_meter": TypeAdapter(Metered),
}
"""By method, the type of its answer."""
