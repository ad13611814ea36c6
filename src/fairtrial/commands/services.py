"""`fairtrial services`: which databases and caches are here, and how to get the others."""

from typing import Annotated

import typer

services_app = typer.Typer(
    help="""List the services there are: what is installed, what is missing and which package brings it.

    Trials start their own servers, in a folder of their own, on a free port of loopback, and remove them. No system
    service is used or touched.
    """,
    invoke_without_command=True,
)


@services_app.callback()
def list_services(context: typer.Context) -> None:
    """List them."""
    if context.invoked_subcommand is not None:
        return
    from rich.console import Console

    from fairtrial.tools.provision.inventory import print_inventory

    print_inventory(Console())


@services_app.command("install")
def install(
    names: Annotated[
        list[str], typer.Argument(help="Services, by the names of `fairtrial services`.", metavar="NAME...")
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before packages are installed.")] = False,
) -> None:
    """Install services by the system's package manager (apt), without starting any."""
    from rich.console import Console

    from fairtrial.tools.provision import install as installing
    from fairtrial.tools.provision.inventory import pick_provided

    wanted = [pick_provided(name) for name in names]
    packages = installing.wanted_packages(wanted)
    if packages and not yes:
        typer.confirm(f"Install {' '.join(packages)} with apt-get?", abort=True)
    installing.install(Console(), wanted)
