"""Roles come from resources; links lead the way that requests take."""

from dataclasses import dataclass

from fairtrial.cluster.roles import link_pairs, roles_of


@dataclass(frozen=True)
class Named:
    name: str
    roles: tuple[str, ...]


def pairs(*hosts: Named) -> list[str]:
    return [f"{source.name}>{target.name}" for source, target in link_pairs(hosts)]


def test_roles_are_the_resources_of_their_names() -> None:
    assert roles_of({"load": 1, "server": 1.0}) == ("server", "load")
    assert roles_of({"server": 0, "GPU": 2}) == ()


def test_links_follow_the_requests() -> None:
    s, a, b, d = Named("s", ("server",)), Named("a", ("load",)), Named("b", ("load",)), Named("d", ("service",))
    assert pairs(s, a, b, d) == ["a>s", "b>s", "s>d"]
    assert pairs(s, a, Named("n", ("balancer",))) == ["a>s", "a>n", "n>s"]


def test_a_host_has_no_link_to_itself_and_none_twice() -> None:
    both = Named("x", ("server", "load", "service"))
    assert pairs(both) == []
    assert pairs(both, Named("y", ("server", "service"))) == ["x>y", "y>x"]
