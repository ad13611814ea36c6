"""A host of a Dask cluster as the one that a load comes from."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rich.console import Console

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster, connected
from fairtrial.cluster.engine import RemoteEngine
from fairtrial.cluster.hosts import own_facts, scheduler_facts, worker_facts
from fairtrial.cluster.roles import roles_of
from fairtrial.cluster.settings import SETTINGS_REMEDY, differing
from fairtrial.cluster.versions import assert_same_versions
from fairtrial.engine.plan import Tls
from fairtrial.tools.load.host import LoadHost
from fairtrial.tools.load.request.connect import LONGEST_WAIT_SECONDS, Endpoint, unreachable
from fairtrial.tools.load.request.url import Url


@contextmanager
def host_of_cluster(console: Console, address: str, *, unencrypted: bool) -> Iterator[LoadHost]:
    """Connect to a cluster, and choose the worker from which the load is to come: the first that has the role `load`.

    Args:
        address: of its scheduler.
        unencrypted: whether a connection without TLS may leave this machine.

    Raises:
        Problem: it cannot be reached, no worker has the role, versions differ, or the scheduler may do things twice.
    """
    with connected(address, unencrypted=unencrypted) as cluster:
        with console.status("looking at the cluster"):
            worker, others = _chosen(cluster)
            scheduler, facts = scheduler_facts(cluster), worker_facts(cluster, worker)
            name = f"the worker at {printable(worker, 60)}"
            assert_same_versions(own_facts(), {"the scheduler": scheduler, name: facts})
            keys = differing(scheduler.settings, "scheduler", "once")
            if keys:
                raise Problem(
                    f"the scheduler may do again elsewhere what a lost worker did: {', '.join(keys)}",
                    SETTINGS_REMEDY,
                    NOTHING_RAN,
                )
        note = f"the load came from {printable(facts.host, 40)}, {name}"
        yield LoadHost(
            connect=partial(_connect, cluster, worker),
            cpus=facts.cpus,
            start=partial(RemoteEngine, cluster, worker),
            is_here=False,
            notes=[note + (f"; {others} more with the role load had none" if others else "")],
        )


def _chosen(cluster: Cluster) -> tuple[str, int]:
    """The first worker that has the role `load`, by its address, and how many more have it."""
    workers = cluster.workers()
    found = sorted(address for address, known in workers.items() if "load" in roles_of(known["resources"]))
    if not found:
        raise Problem(
            f"no worker of the cluster at {printable(cluster.address, 60)} has the role load",
            'start one with --resources "load=1"',
            NOTHING_RAN,
        )
    return found[0], len(found) - 1


def _connect(
    cluster: Cluster, worker: str, url: Url, unix_socket: Path | None, _tls: Tls | None, timeout_seconds: float
) -> Endpoint:
    """Connect from the worker's host. Whether TLS works, the engine says itself.

    Raises:
        Problem: the host cannot reach the server.
    """
    if unix_socket is not None:
        raise Problem("--unix and --cluster exclude each other: a socket is on one machine", "leave out one of them")
    found = cluster.call(
        worker,
        "engine",
        "endpoint",
        host=url.hostname,
        port=url.port,
        seconds=min(timeout_seconds, LONGEST_WAIT_SECONDS),
    )
    where = f"{printable(url.hostname)}:{url.port}, from the worker at {printable(worker, 60)}"
    if "address" not in found:
        raise unreachable(where, OSError(*([found["number"]] if found["number"] else []), found["text"]))
    ip = found["address"]
    return Endpoint(f"[{ip}]:{url.port}" if ":" in ip else f"{ip}:{url.port}", local=ip == found["own"])
