"""`fairtrial cluster`: whether hosts that Dask reaches are fit for trials, and how Dask is to be set on them."""

from pathlib import Path
from typing import Annotated

import typer

Address = Annotated[
    str | None,
    typer.Option("--cluster", help="The scheduler of a running Dask cluster: tls://HOST:PORT.", metavar="ADDRESS"),
]
Hosts = Annotated[
    Path | None,
    typer.Option(
        "--hosts",
        help="Instead: bring a cluster up by SSH on the hosts of this file, and down at the end.",
        metavar="FILE",
    ),
]

cluster_app = typer.Typer(
    help="""Look at the hosts of a Dask cluster, before trials are spread over them.

    A host has the roles that its worker's resources name, or the file of hosts: server, load, service or balancer.
    `fairtrial load --cluster` lets load come from such a host, `fairtrial run --cluster` carries trials out on them. In
    place of --cluster, all of them take --hosts.
    """,
    no_args_is_help=True,
)


@cluster_app.command("check")
def check(
    address: Address = None,
    hosts: Hosts = None,
    idle_seconds: Annotated[
        float, typer.Option(min=1.0, max=600.0, help="How long to watch what idle workers cost, in seconds.")
    ] = 5.0,
    unencrypted: Annotated[
        bool, typer.Option("--unencrypted", help="Accept connections without TLS beyond this machine.")
    ] = False,
) -> None:
    """Print hosts, roles, versions, clocks and the links between roles, and a remedy for each fault.

    Exit status: 0 the cluster is fit, perhaps with remarks; 4 it is unfit, or cannot be reached.
    """
    from rich.console import Console

    from fairtrial.cluster.reach import reached
    from fairtrial.tools.cluster.check import check_cluster

    with reached(address, hosts, unencrypted=unencrypted) as cluster:
        status = check_cluster(Console(), cluster, idle_seconds)
    raise typer.Exit(status)


@cluster_app.command("plan")
def plan(
    address: Address = None,
    hosts: Hosts = None,
    lanes: Annotated[
        int | None, typer.Option("--lanes", min=1, help="So many lanes at most.", show_default="all")
    ] = None,
    load_hosts: Annotated[
        int,
        typer.Option("--load-hosts", min=1, max=1024, help="The load of each lane comes from so many hosts."),
    ] = 1,
    unencrypted: Annotated[
        bool, typer.Option("--unencrypted", help="Accept connections without TLS beyond this machine.")
    ] = False,
) -> None:
    """Print the lanes into which `fairtrial run --cluster` would divide the hosts, and those that are in none.

    Exit status: 0 there is a lane; 4 there is none, versions differ, or the cluster cannot be reached.
    """
    from rich.console import Console
    from rich.text import Text

    from fairtrial.cluster.reach import reached
    from fairtrial.lab.lanes.start import in_words, lanes_of

    with reached(address, hosts, unencrypted=unencrypted) as cluster:
        venue_lanes = lanes_of(cluster, lanes, load_hosts)
    console = Console()
    console.print(Text(in_words(venue_lanes), style="bold"))
    for line in venue_lanes.described():
        console.print(Text(line), soft_wrap=True)


@cluster_app.command("settings")
def settings() -> None:
    """Print Dask's settings for hosts of trials, as a YAML file for ~/.config/dask/ on each of them.

    Idle workers are quiet with them, and nothing is done twice. Each setting has its reason beside it.
    """
    from fairtrial.cluster.settings import as_yaml

    typer.echo(as_yaml(), nl=False)
