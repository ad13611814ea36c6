"""The proxies of one trial: the stack reaches services through them, the lab itself does not."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from zlib import crc32

from fairtrial.catalog.services.proxy import proxy_before
from fairtrial.lab.trial.context import TrialContext


@contextmanager
def proxies_before_services(context: TrialContext) -> Iterator[None]:
    """Run a proxy before each service of the trial that has a latency, on the lab's processors.

    Inside, `context.stack_settings` has their URLs. At the end they are stopped, and their accounts go into the record.

    Raises:
        Problem: a proxy did not start, or gives no account.
    """
    cpus = context.lab_cpus
    with ExitStack() as running:
        proxies = {
            service.name: running.enter_context(
                proxy_before(service, its_server, options, cpus, _seed(context, service.name))
            )
            for service, its_server in context.services
            if (options := context.point.service_options(service)).latency is not None
        }
        context.urls.update({name: proxy.url for name, proxy in proxies.items()})
        try:
            yield
        finally:
            for name in proxies:
                del context.urls[name]
        context.record.proxies.update({name: proxy.account() for name, proxy in proxies.items()})


def _seed(context: TrialContext, service: str) -> int:
    """Of the latencies before a service: those of the database and of the cache are drawn apart."""
    return context.draws_seed + crc32(service.encode())
