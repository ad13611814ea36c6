"""Two hosts with addresses of their own, as network namespaces with a cable between them."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tests.machine.needs import skip_without

ADDRESSES = ("10.203.117.1", "10.203.117.2")


@contextmanager
def _namespaces(names: Sequence[str]) -> Iterator[None]:
    """Make network namespaces of these names, and remove them at the end; skips the test where that is not possible."""
    skip_without("ip", "network-hosts")
    made = []
    try:
        for name in names:
            _ip("netns", "add", name)
            made.append(name)
        yield
    finally:
        for name in made:
            _ip("netns", "delete", name)


@contextmanager
def two_hosts() -> Iterator[tuple[list[str], list[str]]]:
    """Make them, and remove them at the end.

    Yields:
        for each, in the order of `ADDRESSES`, what is put before a command that is to run there.
    """
    names = [f"two-hosts-{os.getpid()}-{number}" for number in (1, 2)]
    with _namespaces(names):
        ends = [f"ft{os.getpid()}-{number}" for number in (1, 2)]
        _ip("link", "add", ends[0], "netns", names[0], "type", "veth", "peer", "name", ends[1], "netns", names[1])
        for name, end, address in zip(names, ends, ADDRESSES, strict=True):
            _ip("-n", name, "address", "add", f"{address}/24", "dev", end)
            for interface in ("lo", end):
                _ip("-n", name, "link", "set", interface, "up")
        first, second = (["ip", "netns", "exec", name] for name in names)
        yield first, second


@contextmanager
def hosts(number: int) -> Iterator[list["NetworkHost"]]:
    """Make so many hosts, each with an address of its own, on one switch; remove them at the end."""
    names = [f"hosts-{os.getpid()}-{place}" for place in range(number + 1)]
    with _namespaces(names):
        switch = names[0]
        _ip("-n", switch, "link", "add", "switch", "type", "bridge")
        _ip("-n", switch, "link", "set", "switch", "up")
        found = []
        for place, name in enumerate(names[1:], 1):
            plug = f"plug{place}"
            _ip("link", "add", "eth", "netns", name, "type", "veth", "peer", "name", plug, "netns", switch)
            _ip("-n", switch, "link", "set", plug, "master", "switch", "up")
            _ip("-n", name, "address", "add", f"10.203.118.{place}/24", "dev", "eth")
            for interface in ("lo", "eth"):
                _ip("-n", name, "link", "set", interface, "up")
            found.append(NetworkHost(f"10.203.118.{place}", name))
        yield found


@dataclass(frozen=True)
class NetworkHost:
    """A network namespace with one address."""

    address: str
    name: str

    @property
    def prefix(self) -> list[str]:
        """What is put before a command that is to run there."""
        return ["ip", "netns", "exec", self.name]

    def take_link_down(self) -> None:
        """Cut it off."""
        _ip("-n", self.name, "link", "set", "eth", "down")


def _ip(*words: str) -> None:
    arguments: Sequence[str] = ["ip", *words]
    subprocess.run(arguments, check=True)
