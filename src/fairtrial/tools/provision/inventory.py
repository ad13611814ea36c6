"""Which services are here."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.base.registry import pick
from fairtrial.catalog.balancers import balancers
from fairtrial.catalog.balancers.model import Balancer
from fairtrial.catalog.services import services
from fairtrial.catalog.services.model import Service

Provided = Service | Balancer


def provided() -> dict[str, Provided]:
    """Databases, caches and balancers by name."""
    return {**services(), **balancers()}


def pick_provided(name: str) -> Provided:
    """The one of this name.

    Raises:
        Problem: there is none.
    """
    return pick("service", name, provided())


def print_inventory(console: Console) -> None:
    """One line each: what is installed, or what is missing and what brings it; then its variants."""
    table = Table("service", "role", "here", box=None, pad_edge=False, header_style="bold")
    for one in provided().values():
        roles = one.roles if isinstance(one, Service) else ("balancer",)
        table.add_row(one.name, ", ".join(roles), _here(one))
    console.print(table)
    for service in services().values():
        for name, words in service.variants.items():
            console.print(Text.assemble((f'[services.{service.name}] variant = "{name}"', "bold"), f"  {words}"))
    absent = [one.name for one in provided().values() if one.missing() is not None]
    if absent:
        console.print(Text(f"To bring the missing ones: fairtrial services install {' '.join(absent)}", style="bold"))


def _here(one: Provided) -> Text:
    missing = one.missing()
    if missing is None:
        return Text(one.version() or "yes", style="green")
    brought = f" (package {', '.join(missing.packages)})" if missing.packages else ""
    return Text(f"missing: {missing.reason}{brought}", style="yellow")
