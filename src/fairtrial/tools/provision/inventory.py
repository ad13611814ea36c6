"""The services that are installed."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.registry import pick
from fairtrial.catalog.balancers import balancers
from fairtrial.catalog.balancers.model import Balancer
from fairtrial.catalog.services import services
from fairtrial.catalog.services.model import Service

Provided = Service | Balancer
"""Services that `fairtrial services` lists and installs."""


def provided() -> dict[str, Provided]:
    """Databases, caches and balancers by name."""
    return {**services(), **balancers()}


def pick_provided(name: str) -> Provided:
    """The database, cache or balancer of this name.

    Raises:
        Problem: there is none.
    """
    return pick("service", name, provided())


def print_inventory(console: Console) -> None:
    """Print a line for each service: its version, or what is missing and which package brings it. Then the variants."""
    table = Table("service", "role", "installed", box=None, pad_edge=False, header_style="bold")
    for service in provided().values():
        roles = service.roles if isinstance(service, Service) else ("balancer",)
        table.add_row(service.name, ", ".join(roles), _state(service))
    console.print(table)
    for database in services().values():
        for name, description in database.variants.items():
            heading = f'[services.{database.name}] variant = "{name}"'
            console.print(Text.assemble((heading, "bold"), f"  {description}"))
    absent = [service.name for service in provided().values() if service.missing() is not None]
    if absent:
        console.print(Text(f"To install the missing ones: fairtrial services install {' '.join(absent)}", style="bold"))


def _state(service: Provided) -> Text:
    missing = service.missing()
    if missing is None:
        return Text(service.version() or "yes", style="green")
    packages = f" (package {', '.join(missing.packages)})" if missing.packages else ""
    return Text(f"missing: {missing.reason}{packages}", style="yellow")
