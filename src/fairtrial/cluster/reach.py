"""A cluster by the address of its scheduler, or by a file of the hosts that it is brought up on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.cluster.by_ssh import brought_up
from fairtrial.cluster.connection import Cluster, connected


@contextmanager
def reached(address: str | None, hosts: Path | None, *, unencrypted: bool) -> Iterator[Cluster]:
    """Connect to the cluster of one of them; what was brought up for it is down at the end.

    Raises:
        Problem: neither or both are given, or it cannot be reached.
    """
    if (address is None) == (hosts is None):
        raise Problem(
            "a cluster is named by --cluster or by --hosts" if address is None else "--cluster and --hosts exclude each other",
            "--cluster ADDRESS for one that runs, --hosts FILE to bring one up by SSH",
        )
    if address is not None:
        with connected(address, unencrypted=unencrypted) as cluster:
            yield cluster
        return
    assert hosts is not None
    with brought_up(hosts) as (own, security), connected(own, unencrypted=False, security=security) as cluster:
        yield cluster
