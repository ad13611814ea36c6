"""`fairtrial cluster`: whether hosts that Dask reaches are fit for trials, and how Dask is to be set on them."""

from typing import Annotated

import typer

from fairtrial.cluster.options import ClusterOptions, LaneOptions
from fairtrial.commands.option_groups import with_option_groups

cluster_app = typer.Typer(
    help="""Look at the hosts of a Dask cluster, before trials are spread over them.

    A host has the roles that its worker's resources name, or the file of hosts: server, load, service or balancer.
    `fairtrial load --cluster` lets load come from such a host, `fairtrial run --cluster` carries trials out on them. In
    place of --cluster, all of them take --hosts.
    """,
    no_args_is_help=True,
)


@cluster_app.command("check")
@with_option_groups
def check(
    options: ClusterOptions,
    idle_seconds: Annotated[
        float, typer.Option(min=1.0, max=600.0, help="How long to watch what idle workers cost, in seconds.")
    ] = 5.0,
) -> None:
    """Print hosts, roles, versions, clocks and the links between roles, and a remedy for each fault.

    Exit status: 0 the cluster is fit, perhaps with remarks; 4 it is unfit, or cannot be reached.
    """
    from rich.console import Console

    from fairtrial.cluster.reach import reached
    from fairtrial.tools.cluster.check import check_cluster

    with reached(options) as cluster:
        status = check_cluster(Console(), cluster, idle_seconds)
    raise typer.Exit(status)


@cluster_app.command("plan")
@with_option_groups
def plan(options: LaneOptions) -> None:
    """Print the lanes into which `fairtrial run --cluster` would divide the hosts, and those that are in none.

    Exit status: 0 there is a lane; 4 there is none, versions differ, or the cluster cannot be reached.
    """
    from rich.console import Console
    from rich.text import Text

    from fairtrial.cluster.reach import reached
    from fairtrial.lab.lanes.describe import describe_lanes, division_in_words
    from fairtrial.lab.lanes.start import lanes_of

    with reached(options) as cluster:
        division = lanes_of(cluster, options.lanes, options.load_hosts_of_lane)
    console = Console()
    console.print(Text(division_in_words(division), style="bold"))
    for line in describe_lanes(division):
        console.print(Text(line), soft_wrap=True)


@cluster_app.command("settings")
def settings() -> None:
    """Print Dask's settings for hosts of trials, as a YAML file for ~/.config/dask/ on each of them.

    Idle workers are quiet with them, and nothing is done twice. Each setting has its reason beside it.
    """
    from fairtrial.cluster.settings import as_yaml

    typer.echo(as_yaml(), nl=False)
