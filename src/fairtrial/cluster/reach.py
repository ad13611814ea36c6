"""A cluster by the address of its scheduler, or by a file of the hosts that it is brought up on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fairtrial.base.problem import Problem
from fairtrial.cluster.by_ssh import brought_up
from fairtrial.cluster.connection import Cluster, connected
from fairtrial.cluster.options import ClusterOptions
from fairtrial.cluster.roles import REQUIRED_ROLES


@contextmanager
def reached(options: ClusterOptions, required_roles: Sequence[str] = REQUIRED_ROLES) -> Iterator[Cluster]:
    """Connect to the cluster that the options name; what was brought up for it is down at the end.

    Args:
        required_roles: the roles that a file of hosts has to have.

    Raises:
        Problem: neither or both are given, or it cannot be reached.
    """
    address, hosts = options.cluster, options.hosts
    if (address is None) == (hosts is None):
        fault = "no cluster is named" if address is None else "--cluster and --hosts exclude each other"
        raise Problem(fault, "give --cluster ADDRESS for one that runs, or --hosts FILE to bring one up by SSH")
    if address is not None:
        with connected(address, unencrypted=options.unencrypted) as cluster:
            yield cluster
        return
    assert hosts is not None
    with (
        brought_up(hosts, required_roles) as (own, security),
        connected(own, unencrypted=False, security=security) as cluster,
    ):
        yield cluster
