"""A contender that is a URL of a server that runs already, here or elsewhere: it is found, not started or stopped."""

import time
from typing import NamedTuple
from urllib.parse import urlsplit

from fairtrial.base.endpoint import AddressChoice, connect_once
from fairtrial.base.problem import Problem
from fairtrial.base.quic import first_answering
from fairtrial.catalog.contract.answer import client_of
from fairtrial.catalog.stacks.readiness import ANSWER_WITHIN_SECONDS, seen_instead
from fairtrial.catalog.stacks.requests import BuildRequest, ReadyProgram
from fairtrial.engine.plan import Tls
from fairtrial.experiment.ready import Ready
from fairtrial.load.engine_terms import Protocol

PORTS = {"http": 80, "https": 443}
CONNECT_WITHIN_SECONDS = 5.0
ASK_EVERY_SECONDS = 0.2
"""Rarer than a stack that has just been started is asked: it is somebody's, and may be far away."""


class RunsAlready(NamedTuple):
    """A server that ran before the lab came, and runs on when it has gone."""

    address: str
    """`IP:PORT`, of the first address of its name that accepts connections"""
    other_addresses: list[str] | None
    """the others of its name, where all are used"""
    host: str
    """the Host header: as the URL has it"""
    tls: Tls | None
    """None: it speaks plain HTTP"""


def ready(request: BuildRequest) -> ReadyProgram:
    """Nothing is built, and nothing is run: its folder is that of the experiment."""
    return ReadyProgram(request.stack.folder.resolve())


def find_running(
    url: str,
    ready: Ready,
    within_seconds: float,
    addresses: AddressChoice = "first",
    over: Protocol = "HTTP/1.1",
) -> RunsAlready:
    """Find the server at a URL, once it is ready.

    Args:
        addresses: of its name that are used; of `all`, each has to take a connection.
        over: what the load comes over, and the question whether it is ready.

    Raises:
        Problem: it cannot be reached, or is not ready in time.
    """
    parts = urlsplit(url)
    assert parts.hostname is not None
    port = parts.port or PORTS[parts.scheme]
    deadline = time.monotonic() + within_seconds
    with client_of(url, ANSWER_WITHIN_SECONDS, over=over) as client:
        while (obstacle := seen_instead(ready, client, port, parts.hostname)) is not None:
            if time.monotonic() > deadline:
                raise Problem(
                    f"{url} was not ready within {within_seconds:g} s ({obstacle})",
                    f"start it, or correct the URL; it is ready when {ready}",
                )
            time.sleep(ASK_EVERY_SECONDS)
    way = first_answering if over == "HTTP/3" or ready.http3 else None
    endpoint = connect_once(parts.hostname, port, CONNECT_WITHIN_SECONDS, addresses=addresses, first=way)
    return RunsAlready(
        address=endpoint.address,
        other_addresses=list(endpoint.other_addresses) or None,
        host=parts.netloc,
        tls=Tls(server_name=parts.hostname) if parts.scheme == "https" else None,
    )
