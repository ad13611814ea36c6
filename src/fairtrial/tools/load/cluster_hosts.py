"""Hosts of a Dask cluster as those that a load comes from."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from rich.console import Console

from fairtrial.base.endpoint import AddressChoice, Endpoint, FirstConnected, connect_once
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.quic import first_answering
from fairtrial.cluster.addresses import worker_name
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.fitness import assert_fit, facts_of
from fairtrial.cluster.options import LoadHostsOptions
from fairtrial.cluster.reach import reached
from fairtrial.cluster.roles import roles_of
from fairtrial.engine.plan import Tls
from fairtrial.lab.lanes.load_hosts import load_hosts
from fairtrial.tools.load.hosts import LoadSite
from fairtrial.tools.load.request.connect import LONGEST_WAIT_SECONDS
from fairtrial.tools.load.request.url import Url


@contextmanager
def hosts_of_cluster(console: Console, options: LoadHostsOptions) -> Iterator[LoadSite]:
    """Connect to a cluster, and take the workers that have the role `load`, by their addresses.

    Raises:
        Problem: it cannot be reached, there are not so many workers with the role, versions differ, the scheduler may
            do things twice, or an engine cannot be built.
    """
    with ExitStack() as ends:
        with console.status("looking at the cluster" if options.hosts is None else "bringing up the hosts"):
            cluster = ends.enter_context(reached(options, required_roles=["load"]))
            workers = _addresses(cluster, options.load_hosts)
            facts = {worker: facts_of(cluster, worker) for worker in workers}
            assert_fit(cluster, facts)
        with console.status("the load engine is built there, if it is not yet"):
            shared = load_hosts(cluster, workers, quiet_seconds=0.0)
        where = [f"{printable(its.host, 40)} ({worker_name(worker)})" for worker, its in facts.items()]
        came = f"the load came from {', '.join(where)}"
        yield LoadSite(
            connect=partial(_connect_from_each, cluster, workers),
            cpus=[its.cpus for its in facts.values()],
            start=shared.start,
            is_here=False,
            notes=lambda: [came, *filter(None, [shared.apart])],
        )


def _addresses(cluster: Cluster, most: int | None) -> list[str]:
    """The workers that have the role `load`, so many of them, by their addresses."""
    workers = cluster.workers()
    addresses = sorted(address for address, worker in workers.items() if "load" in roles_of(worker["resources"]))
    if len(addresses) < (most or 1):
        have = f"{count(len(addresses), 'worker')} of the cluster" if addresses else "no worker of the cluster"
        raise Problem(
            f"{have} at {printable(cluster.address, 60)} {'have' if len(addresses) > 1 else 'has'} the role load"
            + (f", and {most} are to offer it" if addresses else ""),
            'start one with --resources "load=1"',
            NOTHING_RAN,
        )
    return addresses[:most]


def _connect_from_each(
    cluster: Cluster,
    workers: Sequence[str],
    url: Url,
    unix_socket: Path | None,
    _tls: Tls | None,
    timeout_seconds: float,
    addresses: AddressChoice,
    *,
    http3: bool,
    **_tls_terms: bool,
) -> Endpoint:
    """Connect from each host. Whether TLS works, the engine says itself.

    Raises:
        Problem: one cannot reach the server, or finds it at another address than the first.
    """
    if unix_socket is not None:
        raise Problem("--unix and --cluster exclude each other: a socket is on one machine", "leave out one of them")
    way = first_answering if http3 else None
    endpoints = [_connect(cluster, worker, url, timeout_seconds, addresses, way) for worker in workers]
    first = endpoints[0]
    for worker, endpoint in zip(workers, endpoints, strict=True):
        if endpoint.addresses != first.addresses:
            raise Problem(
                f"{printable(url.hostname)} is {first.address} for {worker_name(workers[0])}, and {endpoint.address} "
                f"for {worker_name(worker)}",
                "write the server's address in place of its name",
            )
    return replace(first, local=any(endpoint.local for endpoint in endpoints))


def _connect(
    cluster: Cluster,
    worker: str,
    url: Url,
    timeout_seconds: float,
    addresses: AddressChoice,
    first: FirstConnected | None,
) -> Endpoint:
    wait_seconds = min(timeout_seconds, LONGEST_WAIT_SECONDS)
    source = worker_name(worker)
    return cluster.compute(worker, connect_once, url.hostname, url.port, wait_seconds, source, addresses, first)
