"""The engine's own proxy before a service: stacks reach the service through it, later."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

from fairtrial.base.happy_eyeballs import addresses_of, first_connected, in_words
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RunningService, Service
from fairtrial.engine.server import EngineServer, engine_server
from fairtrial.experiment.model import ServiceOptions
from fairtrial.record.proxy import ProxyAccount, RoundTrips

CONNECT_WITHIN_SECONDS = 10.0


class Proxy:
    """A running `fairtrial-engine proxy`, which gives an account when it ends."""

    def __init__(self, url: str, latency_seconds: float, server: EngineServer) -> None:
        self.url = url
        """of the service, with the proxy's address; may hold a password"""
        self.pid = server.pid
        """the guard below which it runs"""
        self._latency_seconds, self._server = latency_seconds, server

    def so_far(self) -> tuple[float, RoundTrips]:
        """When it tells, by the clock that the kernel counts from its start, and the round trips until then.

        Raises:
            Problem: it does not.
        """
        account = self._server.so_far("proxying")
        return account["at_seconds"], RoundTrips.model_validate(account["round_trips"])

    def account(self) -> ProxyAccount:
        """Stop it, and return its account.

        Raises:
            Problem: it ended without one.
        """
        account = self._server.account("proxied")
        return ProxyAccount.model_validate({**account, "latency_seconds": self._latency_seconds})


@contextmanager
def proxy_before(
    service: Service, running: RunningService, options: ServiceOptions, cpus: Sequence[int], seed: int = 0
) -> Iterator[Proxy]:
    """Run `fairtrial-engine proxy` before a service, and stop it at the end. Without a latency it adds none.

    Args:
        seed: of the latencies, where they are drawn.

    Raises:
        Problem: the service's URL names no single server, it cannot be reached, or the proxy does not listen within ten
            seconds.
    """
    seconds = 0.0 if options.latency is None else options.latency.value
    span = f"{options.latency_distribution}:{seconds * 1e9:.0f}ns"
    rate = options.bandwidth_bytes_per_second
    narrow = [] if rate is None else ["--bandwidth", str(rate)]
    arguments = ["--to", _address(service, running.url), "--latency", span, "--seed", str(seed), *narrow]
    with engine_server(f"the proxy before {service.title}", "proxy", arguments, cpus) as server:
        yield Proxy(_with_address(running.url, server.address), seconds, server)


def _address(service: Service, url: str) -> str:
    """`IP:PORT` of the server that a URL names. Messages never hold the URL: there may be a password in it.

    Raises:
        Problem: it names none, or several, or the server cannot be reached.
    """
    parts = urlsplit(url)
    if parts.scheme.endswith("+srv") or "," in parts.netloc or not parts.hostname:
        raise Problem(
            f"[services.{service.name}] latency: the URL of {service.title} does not name one server",
            "name a single server as HOST:PORT: a proxy stands before one address",
        )
    try:
        addresses = addresses_of(parts.hostname, parts.port or service.port)
        with first_connected(addresses, CONNECT_WITHIN_SECONDS) as connection:
            return in_words(connection.getpeername())
    except OSError as error:
        raise Problem(
            f"[services.{service.name}] latency: {service.title} cannot be reached: {error.strerror or 'no answer'}"
        ) from error


def _with_address(url: str, address: str) -> str:
    """The URL with another host and port; its user, path and query stay."""
    parts = urlsplit(url)
    user, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}{at}{address}").geturl()
