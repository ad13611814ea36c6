"""Balancers, which stand in front of several processes of a stack. One file each.

A module in this folder that defines `BALANCER` is a balancer; nothing else has to know of it.
"""

from functools import cache

from fairtrial.base.registry import defined_in, pick
from fairtrial.catalog.balancers.model import Balancer


@cache
def balancers() -> dict[str, Balancer]:
    """All balancers by name."""
    return defined_in(__name__, __path__, "BALANCER")


def pick_balancer(name: str) -> Balancer:
    """The balancer of this name.

    Raises:
        Problem: there is none.
    """
    return pick("balancer", name, balancers())
