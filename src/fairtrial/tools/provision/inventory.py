"""The services that are installed."""

from typing import Literal

from pydantic import Field
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.document import Document
from fairtrial.base.registry import pick
from fairtrial.base.strict import Strict
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
    return pick("service", name, provided(), "name one of `fairtrial services`")


class ServiceState(Strict):
    """A service, and whether it is installed."""

    name: str
    roles: list[str]
    version: str | None = Field(description="`yes` where it does not tell; null: it is missing")
    missing: str | None = Field(description="what is missing; null: nothing")
    packages: list[str] = Field(description="those that bring what is missing")
    variants: dict[str, str] = Field(description="of its settings, by name, and what each does")


class Inventory(Document):
    """All services."""

    kind: Literal["fairtrial/services"] = Field("fairtrial/services", alias="schema")
    version: Literal[1] = 1
    services: list[ServiceState]


def inventory() -> Inventory:
    """Every service with its version, or with what is missing and which package brings it."""
    return Inventory(services=[_state(service) for service in provided().values()])


def print_inventory(console: Console, services: Inventory) -> None:
    """Print a line for each service: its version, or what is missing and which package brings it. Then the variants."""
    table = Table("service", "role", "installed", box=None, pad_edge=False, header_style="bold")
    for service in services.services:
        table.add_row(service.name, ", ".join(service.roles), _in_words(service))
    console.print(table)
    for service in services.services:
        for name, description in service.variants.items():
            heading = f'[services.{service.name}] variant = "{name}"'
            console.print(Text.assemble((heading, "bold"), f"  {description}"))
    absent = [service.name for service in services.services if service.missing is not None]
    if absent:
        console.print(Text(f"To install the missing ones: fairtrial services install {' '.join(absent)}", style="bold"))


def _state(service: Provided) -> ServiceState:
    missing = service.missing()
    return ServiceState(
        name=service.name,
        roles=list(service.roles) if isinstance(service, Service) else ["balancer"],
        version=(service.version() or "yes") if missing is None else None,
        missing=None if missing is None else missing.reason,
        packages=[] if missing is None else list(missing.packages),
        variants=dict(service.variants) if isinstance(service, Service) else {},
    )


def _in_words(service: ServiceState) -> Text:
    if service.missing is None:
        return Text(service.version or "yes", style="green")
    packages = f" (package {', '.join(service.packages)})" if service.packages else ""
    return Text(f"missing: {service.missing}{packages}", style="yellow")
