"""A party: all that is up for one condition of a block in slices, its processes, and where they listen."""

from collections.abc import Collection
from urllib.parse import urlsplit

from fairtrial.lab.meters.slice_watch import Party
from fairtrial.lab.trial.environment import UPSTREAM
from fairtrial.lab.trial.up import UpContender


def party_of(contender: UpContender) -> Party:
    """The processes of a contender that is up, of its own services, its upstream and its proxies."""
    context = contender.context
    database, *caches = [server.pid for _, server in context.services]
    pids = list(context.partner_pids)
    upstream = pids[-1:] if UPSTREAM in context.urls else []
    return Party(
        server=contender.deployment.roots,
        database=[] if database is None else [database],
        beside=[*(pid for pid in caches if pid is not None), *upstream],
        proxies=pids[: len(pids) - len(upstream)],
    )


def ports_of(contender: UpContender) -> Collection[int]:
    """All on which it listens, behind a balancer as well, or else the one that is asked; and those of its services."""
    context, deployment = contender.context, contender.deployment
    listening = {port for _, port in deployment.listening() or ()}
    urls = [*(server.url for _, server in context.services), *context.urls.values()]
    of_services = {port for url in urls if (port := urlsplit(url).port) is not None}
    return {int(deployment.address.rpartition(":")[2])} | listening | of_services
