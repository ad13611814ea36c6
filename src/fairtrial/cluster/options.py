"""The options by which a command names a cluster: one definition for all commands.

Each field is declared as a parameter of a Typer command is. Little is imported here: `fairtrial --help` reads it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from fairtrial.base.problem import Problem

HOSTS = "Hosts"
"""The panel of these options in the help."""


def _option(name: str, metavar: str | None, text: str, least: int | None = None, most: int | None = None) -> Any:
    """An option in one panel of the help."""
    return typer.Option(name, help=text, metavar=metavar, min=least, max=most, rich_help_panel=HOSTS)


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """The cluster whose hosts are used; without an address and a file, this machine."""

    cluster: Annotated[
        str | None,
        _option(
            "--cluster",
            "ADDRESS",
            "Use the hosts of a running Dask cluster, whose scheduler this is (tls://HOST:PORT): docs/cluster.md.",
        ),
    ] = None
    hosts: Annotated[
        Path | None,
        _option(
            "--hosts",
            "FILE",
            "Instead of --cluster: bring a cluster up by SSH on the hosts of this file, and down at the end.",
        ),
    ] = None
    unencrypted: Annotated[
        bool,
        _option("--unencrypted", None, "Accept connections to the cluster without TLS beyond this machine."),
    ] = False

    @property
    def is_elsewhere(self) -> bool:
        """Whether a cluster is named."""
        return self.cluster is not None or self.hosts is not None

    def assert_consistent(self) -> None:
        """An option about a cluster is given with one.

        Raises:
            Problem: it is not.
        """
        further = ("unencrypted", "load_hosts", "lanes")
        for name in () if self.is_elsewhere else further:
            if getattr(self, name, None):
                raise Problem(
                    f"--{name.replace('_', '-')} is about a cluster", "give it with --cluster ADDRESS or --hosts FILE"
                )


@dataclass(frozen=True, kw_only=True)
class LoadHostsOptions(ClusterOptions):
    """The same, and from how many of its hosts a load comes."""

    load_hosts: Annotated[
        int | None,
        _option(
            "--load-hosts",
            "N",
            "The load comes from so many hosts with the role load, which share it and begin together; what they "
            "measured is one load. [default: one for each lane; of `fairtrial load`, all]",
            least=1,
            most=1024,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class LaneOptions(LoadHostsOptions):
    """The same, for lanes: each is a server's host and its load hosts."""

    lanes: Annotated[
        int | None,
        _option(
            "--lanes",
            "N",
            "So many lanes at most: each tries blocks of its own. [default: all]",
            least=1,
        ),
    ] = None

    @property
    def load_hosts_of_lane(self) -> int:
        """From how many hosts the load of each lane comes."""
        return self.load_hosts or 1


HERE = LaneOptions()
