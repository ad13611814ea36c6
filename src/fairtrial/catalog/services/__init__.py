"""Services: databases and caches that a stack is given. One folder each, or one file.

A package or module in this folder that defines `SERVICE` is a service; nothing else has to know of it. What services
share is in `common`.
"""

from functools import cache

from fairtrial.base.registry import defined_by_its_module, defined_in, pick
from fairtrial.catalog.services.model import Service


@cache
def services() -> dict[str, Service]:
    """All services by name."""
    return defined_in(__name__, __path__, "SERVICE")


def pick_service(name: str) -> Service:
    """The service of this name. The others are not imported: their drivers take a third of a second.

    Raises:
        Problem: there is none.
    """
    service: Service | None = defined_by_its_module(__name__, name, "SERVICE")
    return service or pick("service", name, services(), "name one of `fairtrial services`")
