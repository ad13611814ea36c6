"""Lanes of a cluster: the hosts on which blocks of an experiment were tried."""

from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.record.calibration import Calibration
from fairtrial.record.identity import Host, ServiceIdentity
from fairtrial.record.placement import IdleLimit, Placement

SeparateRole = Literal["service", "balancer"]
"""Roles that may have a host of their own, beside server and load."""


class LaneHost(Strict):
    """A host of a lane."""

    worker: str = Field(description="the address of its Dask worker")
    name: str = Field(description="its host name")
    machine: str = Field(description="the kernel's boot id, the same for all that share a machine")
    roles: list[str] = Field(description="that it has in this lane: server, load, service, balancer")
    cpus: list[int] = Field(description="that its worker may use")


class LaneRecord(Strict):
    """The hosts on which trials took place that were compared with each other."""

    number: int = Field(description="from 1")
    hosts: list[LaneHost]
    host: Host = Field(description="what affects figures of the server's host")
    placement: Placement
    idle: IdleLimit | None = None
    calibrations: list[Calibration] = Field(default_factory=list)
    services: list[ServiceIdentity] = Field(default_factory=list)
