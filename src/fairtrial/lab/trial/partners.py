"""The partners of the stack in one trial beside its services: proxies before them, and the upstream that it calls."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from zlib import crc32

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.proxy import Proxy, proxy_before
from fairtrial.engine.server import EngineServer, engine_server
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import UPSTREAM


class Upstream:
    """A running `fairtrial-engine target`, which tells at its end what it served."""

    def __init__(self, server: EngineServer) -> None:
        self.url = f"http://{server.address}/"
        self.pid = server.pid
        """the guard below which it runs"""
        self._server = server

    def served(self) -> int:
        """Stop it, and return how many complete answers it handed to the kernel; it tells that only when it ends.

        Raises:
            Problem: it ended without telling.
        """
        return int(self._server.account("served")["requests"])


@contextmanager
def running_upstream(arguments: Sequence[str], cpus: Sequence[int]) -> Iterator[Upstream]:
    """Run `fairtrial-engine target` with these arguments, and stop it at the end.

    Raises:
        Problem: it does not listen within ten seconds.
    """
    with engine_server("the upstream", "target", arguments, cpus) as server:
        yield Upstream(server)


@contextmanager
def partners_up(context: TrialContext, cpus: Sequence[int]) -> Iterator[Callable[[], Mapping[str, int]]]:
    """Run the proxies and the upstream of a trial, as far as it has some. Inside, `context.stack_settings` has their
    URLs.

    Each trial has its own upstream, because an upstream counts what it answers from its start to its end. Yields what
    ends it, if it still serves, and gives its account: `calls`; empty where there is none.

    Args:
        cpus: the processors to which the upstream is bound; proxies are bound to the lab's.

    Raises:
        Problem: one of them did not start, or gives no account.
    """
    arguments = context.plan.workload.upstream
    with _proxies_up(context):
        if arguments is None:
            yield dict
            return
        with running_upstream(arguments(context.point.options), cpus) as running:
            context.urls[UPSTREAM] = running.url
            context.partner_pids.append(running.pid)
            calls = cache(lambda: {"calls": running.served()})
            try:
                yield calls
            finally:
                del context.urls[UPSTREAM]
                context.partner_pids.remove(running.pid)
            calls()


@contextmanager
def _proxies_up(context: TrialContext) -> Iterator[None]:
    """Run a proxy before each service that has a latency, and before the database where its round trips are timed, if
    one can stand there. At the end, their accounts go into the record."""
    with ExitStack() as running:
        proxies: dict[str, Proxy] = {}
        for service, server in context.services:
            options = context.point.service_options(service)
            is_timed = context.times_round_trips and service is context.condition.service
            if options.latency is None and not is_timed:
                continue
            before = proxy_before(service, server, options, context.lab_cpus, _seed(context, service.name))
            try:
                proxies[service.name] = running.enter_context(before)
            except Problem:
                if options.latency is not None:
                    raise
        context.urls.update({name: proxy.url for name, proxy in proxies.items()})
        context.proxies.update(proxies)
        pids = [proxy.pid for proxy in proxies.values()]
        context.partner_pids.extend(pids)
        try:
            yield
        finally:
            for name in proxies:
                del context.urls[name], context.proxies[name]
            for pid in pids:
                context.partner_pids.remove(pid)
        context.record.proxies.update({name: proxy.account() for name, proxy in proxies.items()})


def _seed(context: TrialContext, service: str) -> int:
    """The seed of the latencies before a service: those of the database and of the cache are drawn apart."""
    return context.draws_seed + crc32(service.encode())
