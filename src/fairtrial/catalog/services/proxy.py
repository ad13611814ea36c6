"""The engine's own proxy before a service: stacks reach the service through it, later."""

import json
import os
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from pydantic import ValidationError

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RunningService, Service
from fairtrial.engine.binary import engine_binary
from fairtrial.engine.guard import Guarded
from fairtrial.experiment.model import ServiceOptions
from fairtrial.record.proxy import ProxyAccount

READY_WITHIN_SECONDS = 10.0
ASK_EVERY_SECONDS = 0.005
CONNECT_WITHIN_SECONDS = 10.0


class Proxy:
    """A running `fairtrial-engine proxy`, which gives an account when it ends."""

    def __init__(self, url: str, latency_seconds: float, process: Guarded, output: BinaryIO) -> None:
        self.url = url
        """of the service, with the proxy's address; may hold a password"""
        self._latency_seconds, self._process, self._output = latency_seconds, process, output

    def account(self) -> ProxyAccount:
        """Stop it, and return its account.

        Raises:
            Problem: it ended without one.
        """
        self._process.stop()
        told = _event(self._output, "proxied")
        try:
            return ProxyAccount.model_validate({**(told or {}), "latency_seconds": self._latency_seconds})
        except ValidationError:
            raise Problem(
                f"a proxy ended without an account: {printable(_text(self._output).strip(), 300)}", "run it again"
            ) from None


@contextmanager
def proxy_before(
    service: Service, running: RunningService, options: ServiceOptions, cpus: Sequence[int]
) -> Iterator[Proxy]:
    """Run `fairtrial-engine proxy` before a service that has a latency, and stop it at the end.

    Raises:
        Problem: the service's URL names no single server, it cannot be reached, or the proxy does not listen within ten
            seconds.
    """
    assert options.latency is not None
    seconds = options.latency.value
    span = f"{options.latency_distribution}:{seconds * 1e9:.0f}ns"
    rate = options.bandwidth_bytes_per_second
    narrow = [] if rate is None else ["--bandwidth", str(rate)]
    command = [str(engine_binary()), "proxy", "--to", _address(service, running.url), "--latency", span, *narrow]
    with (
        tempfile.TemporaryFile() as output,
        Guarded(command, folder=Path("/"), environment=os.environ, output=output, cpus=cpus) as process,
    ):
        deadline = time.monotonic() + READY_WITHIN_SECONDS
        # It says where it listens: a connection to try would be carried on to the service.
        while (listening := _event(output, "listening")) is None:
            if process.status() is not None or time.monotonic() > deadline:
                raise Problem(f"the proxy before {service.title} did not start: {printable(_text(output), 300)}")
            time.sleep(ASK_EVERY_SECONDS)
        yield Proxy(_with_address(running.url, listening["address"]), seconds, process, output)


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
        with socket.create_connection((parts.hostname, parts.port or service.port), CONNECT_WITHIN_SECONDS) as tried:
            ip, port = tried.getpeername()[:2]
    except OSError as error:
        raise Problem(
            f"[services.{service.name}] latency: {service.title} cannot be reached: {error.strerror or 'no answer'}"
        ) from error
    return f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}"


def _with_address(url: str, address: str) -> str:
    """The URL with another host and port; its user, path and query stay."""
    parts = urlsplit(url)
    user, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}{at}{address}").geturl()


def _event(output: BinaryIO, name: str) -> dict[str, Any] | None:
    """The event of this name, if the proxy has written it."""
    for line in _text(output).splitlines(keepends=True):
        if line.startswith("{") and line.endswith("\n"):
            event: dict[str, Any] = json.loads(line)
            if event.pop("event") == name:
                return event
    return None


def _text(output: BinaryIO) -> str:
    # Without moving the position, at which the proxy writes on.
    return os.pread(output.fileno(), os.fstat(output.fileno()).st_size, 0).decode(errors="replace")
