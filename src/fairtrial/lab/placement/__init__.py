"""Placement: where trials take place, and which processors load and server get, by what the kernel tells of them."""

from fairtrial.lab.placement.local import bound_to, local_placement, placed_for, planned_placement
from fairtrial.lab.placement.site import THIS_MACHINE, Front, Site

__all__ = ["THIS_MACHINE", "Front", "Site", "bound_to", "local_placement", "placed_for", "planned_placement"]
