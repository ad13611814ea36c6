"""A balancer: its configuration, its command, and whether it is installed."""

from collections.abc import Callable
from dataclasses import dataclass

from fairtrial.catalog.services.model import Missing


@dataclass(frozen=True)
class Balancer:
    """A reverse proxy that spreads requests over several servers of one host, each in turn."""

    name: str
    title: str
    configuration: Callable[..., str]
    """`configuration(port, backends, host, backends_host)` gives the text of its file, from the port to listen on, the
    servers' ports, and the addresses of both, by default loopback"""
    command: Callable[[str], list[str]]
    """`command(file)` runs it in the foreground, in the folder of its file"""
    missing: Callable[[], Missing | None]
    """None if it is installed"""
    version: Callable[[], str | None]
    """the installed product and version, in its own words; None if there is none"""
