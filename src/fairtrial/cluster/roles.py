"""The roles of hosts in a trial: what runs on them, as the resources of their workers say."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

ROLES = {
    "server": "the stack that is tried, and what it has no other host for",
    "load": "the load engine",
    "service": "databases and caches",
    "balancer": "the balancer in front of several instances",
}
"""by resource name, what a host with it runs"""

REQUIRED_ROLES = ("server", "load")
"""Without a host of their own, services and balancers are on the server's."""


def roles_of(resources: Mapping[str, float]) -> tuple[str, ...]:
    """The roles that a worker's resources name, in the order of `ROLES`."""
    return tuple(role for role in ROLES if resources.get(role, 0) > 0)


class HasRoles(Protocol):
    """Anything with roles."""

    @property
    def roles(self) -> tuple[str, ...]: ...


Having = TypeVar("Having", bound=HasRoles)

TRAFFIC = (("load", "server"), ("load", "balancer"), ("balancer", "server"), ("server", "service"))
"""Who sends requests to whom."""


def link_pairs(hosts: Sequence[Having]) -> list[tuple[Having, Having]]:
    """Each pair of two different hosts of which one may send requests to the other, once."""
    pairs = {
        (id(source), id(target)): (source, target)
        for source_role, target_role in TRAFFIC
        for source in hosts
        for target in hosts
        if source is not target and source_role in source.roles and target_role in target.roles
    }
    return list(pairs.values())
