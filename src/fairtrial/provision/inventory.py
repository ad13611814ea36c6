"""Which services are here."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fairtrial.services import services
from fairtrial.services.model import Service


def print_inventory(console: Console) -> None:
    """One line a service: what is installed, or what is missing and what brings it; its variants."""
    table = Table("service", "role", "here", "variants", box=None, pad_edge=False, header_style="bold")
    for service in services().values():
        table.add_row(service.name, ", ".join(service.roles), _here(service), ", ".join(["default", *service.variants]))
    console.print(table)
    named = [
        (f"{service.name}:{name}", words) for service in services().values() for name, words in service.variants.items()
    ]
    for name, words in named:
        console.print(Text.assemble((name, "bold"), f"  {words}"), soft_wrap=True)
    absent = [service.name for service in services().values() if service.missing() is not None]
    if absent:
        console.print(
            Text(f"fairtrial services install {' '.join(absent)}", style="bold"), Text("brings the missing ones.")
        )


def _here(service: Service) -> Text:
    missing = service.missing()
    if missing is None:
        return Text(service.version() or "yes", style="green")
    brought = f"; package {', '.join(missing.packages)}" if missing.packages else ""
    return Text(f"missing: {missing.reason}{brought}", style="yellow")
