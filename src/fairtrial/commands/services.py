"""`fairtrial services`: which databases, caches and balancers are installed, and installing others."""

from typing import Annotated

import typer

from fairtrial.commands.complete import service_names
from fairtrial.commands.further_reports import Json

services_app = typer.Typer(
    help="""List all services: what is installed, what is missing and which package brings it.

    Trials start their own servers, each in a folder of its own and on a free port of loopback, and remove them. No
    system service is used or touched.
    """,
    invoke_without_command=True,
)


@services_app.callback()
def list_services(context: typer.Context, json: Json = None) -> None:
    """List all services, if no subcommand is given."""
    if context.invoked_subcommand is not None:
        return
    from fairtrial.commands.further_reports import print_or_write
    from fairtrial.tools.provision.inventory import inventory, print_inventory

    services = inventory()
    print_or_write(json, services, lambda console: print_inventory(console, services))


@services_app.command("install")
def install(
    names: Annotated[
        list[str],
        typer.Argument(
            help="Names of services, as `fairtrial services` lists them.",
            metavar="NAME...",
            autocompletion=service_names,
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before installing packages.")] = False,
) -> None:
    """Install services by the system's package manager (apt), without starting them."""
    from rich.console import Console

    from fairtrial.tools.provision import install as provision
    from fairtrial.tools.provision.inventory import pick_provided

    services = [pick_provided(name) for name in names]
    packages = provision.missing_packages(services)
    if packages and not yes:
        typer.confirm(f"Install {' '.join(packages)} with apt-get?", abort=True)
    provision.install_services(Console(), services)
