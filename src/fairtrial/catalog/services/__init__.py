"""Services: databases and caches that a stack is given. One folder each, or one file.

A package or module in this folder that defines `SERVICE` is a service; nothing else has to know of it. What services
share is in `common`.
"""

from functools import cache

from fairtrial.base.registry import defined_in, pick
from fairtrial.catalog.services.model import Service


@cache
def services() -> dict[str, Service]:
    """All services by name."""
    return defined_in(__name__, __path__, "SERVICE")


def pick_service(name: str) -> Service:
    """The service of this name.

    Raises:
        Problem: there is none.
    """
    return pick("service", name, services())
