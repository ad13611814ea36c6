"""Services: databases, caches and whatever else a stack is given. One file each.

A module in this folder that defines `SERVICE` is a service; nothing else has to know of it.
"""

import importlib
import pkgutil
from functools import cache

from fairtrial.problem import Problem
from fairtrial.services.model import Service


@cache
def services() -> dict[str, Service]:
    """All services by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        service = getattr(importlib.import_module(f"{__name__}.{module.name}"), "SERVICE", None)
        if service is not None:
            found[service.name] = service
    return found


def pick_service(name: str) -> Service:
    """The service of this name.

    Raises:
        Problem: there is none.
    """
    if name not in services():
        raise Problem(f"service: there is no {name!r}; there are: {', '.join(sorted(services()))}")
    return services()[name]
