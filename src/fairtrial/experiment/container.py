"""What may be said of a contender in containers: `image`, `dockerfile` or `compose`, with their ports and network."""

import re
from typing import Literal

from fairtrial.experiment.ready import Ready

IMAGE = r"^[A-Za-z0-9][A-Za-z0-9._/:@-]*$"
"""A reference to an image. It begins with no hyphen: the container program would take that for an option."""

ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

SERVICE = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
"""A service of a compose file."""

ContainerNetwork = Literal["published", "host"]
"""`published`: a network of its own, with one port published on 127.0.0.1; `host`: the network of the lab."""


def assert_container(
    *,
    in_container: bool,
    compose: bool,
    compose_service: str | None,
    network: ContainerNetwork,
    untouched: bool,
    container_port: int | None,
    port: int | None,
    ready: Ready | None,
    env: dict[str, str],
) -> None:
    """Refuse what contradicts itself about a container, or is said of what runs in none.

    Raises:
        ValueError: it begins with the key.
    """
    if compose_service is not None and not compose:
        raise ValueError("compose_service: it is of a compose file: set `compose`, or leave it out")
    if not in_container:
        if container_port is not None:
            raise ValueError("container_port: it is of a container: set `image` or the like, or write `port`")
        if network != "published":
            raise ValueError("container_network: it is of a container: set `image` or `dockerfile`, or leave it out")
        return
    if untouched:
        raise ValueError("files, hosts, network: a container brings its own: mount and name in the image what it needs")
    if compose:
        if network != "published":
            raise ValueError("container_network: the compose file says it, by `network_mode` of the service")
        if container_port is not None and port is not None:
            raise ValueError("port: `container_port` says it already: leave one of them out")
        _assert_environment(env)
        return
    if network == "host" and container_port is not None:
        raise ValueError(
            'container_port: with `container_network = "host"` nothing is published: write `port` if it is fixed'
        )
    if network == "published" and container_port is None:
        raise ValueError('container_port: missing; it is the port to publish. Or set `container_network = "host"`')
    if network == "published" and port is not None:
        raise ValueError("port: the lab chooses where a container is published: write `container_port`")
    if network == "published" and ready is not None and ready.tcp:
        raise ValueError(
            "ready: a published port accepts connections before the program does: name a path, as in "
            '{ path = "/" }, or set `container_network = "host"`'
        )
    _assert_environment(env)


def _assert_environment(env: dict[str, str]) -> None:
    for name in env:
        if not ENVIRONMENT_NAME.fullmatch(name):
            raise ValueError(f"env: {name!r} is no name of a variable")
