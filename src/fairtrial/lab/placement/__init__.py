"""Placement: where trials take place, and which processors load and server get, by what the kernel tells of them."""

from fairtrial.lab.placement.local import bound_to, local_placement, placed_for, planned_placement
from fairtrial.lab.placement.trial_hosts import THIS_MACHINE, RunningBalancer, TrialHosts

__all__ = [
    "THIS_MACHINE",
    "RunningBalancer",
    "TrialHosts",
    "bound_to",
    "local_placement",
    "placed_for",
    "planned_placement",
]
