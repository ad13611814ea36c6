"""Placement: which processors the load generator and the server get, by what the kernel tells of cores and nodes."""

from fairtrial.lab.placement.local import bound_to, local_placement, planned_placement

__all__ = ["bound_to", "local_placement", "planned_placement"]
