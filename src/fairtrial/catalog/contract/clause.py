"""Clauses: what a stack must do, each with the requests that test it."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from fairtrial.catalog.contract.answer import ANSWER_WITHIN_SECONDS, ask
from fairtrial.catalog.tables import Data
from fairtrial.engine.plan import EnginePlan, Expectation, Request, Tls
from fairtrial.load.engine_terms import Closed, Http2, Http3, Protocol, StopAfterRequests
from fairtrial.record.engine_summary import EngineSummary


@dataclass(frozen=True)
class StackUnderTest:
    """A running stack, as the tests of its clauses see it."""

    client: httpx.Client
    data: Data
    """the tables that its service holds"""
    options: Any
    """the workload's options"""
    listening: set[tuple[str, int]]
    """(address, port) of every socket on which the stack listens"""
    listens_at: str = ""
    """the address at which it is to listen; empty: that of the client's URL"""
    address: str = ""
    """where the load engine connects, which looks up no names; empty: the client's URL has an address"""
    path: str = "/health"
    """one that it answers by GET, whatever the workload; with which status does not matter"""
    on_summary: Callable[[EngineSummary], None] = lambda _summary: None
    """is told of every run of the engine against it, so that each of its requests is counted"""
    over: Protocol = "HTTP/1.1"
    """what the load comes over: the engine's own requests do, too"""
    ca_file: str | None = None
    """PEM of the authorities that are trusted; None: the roots of this machine"""

    def plan_of(self, *steps: Request, over: Protocol | None = None) -> EnginePlan:
        """The engine's plan of sending one request once, or the steps of one journey.

        Args:
            over: None: as the load comes.
        """
        over = over or self.over
        url = self.client.base_url
        secure = url.scheme == "https"
        host = f"[{url.host}]" if ":" in url.host else url.host
        return EnginePlan(
            address=self.address or f"{host}:{url.port or (443 if secure else 80)}",
            host=url.netloc.decode(),
            tls=Tls(server_name=url.host, ca_file=self.ca_file) if secure else None,
            requests=list(steps),
            load=Closed(connections=1),
            stop=StopAfterRequests(requests=1),
            http2=Http2(streams=1) if over == "HTTP/2" else None,
            http3=Http3(streams=1) if over == "HTTP/3" else None,
            timeout_seconds=ANSWER_WITHIN_SECONDS,
            progress_every_seconds=0,
        )


SpotCheck = Callable[[Data, Any], Request]
"""From the tables and the workload's options: a request like those of the load, without headers,
and what has to be true of its answer."""


@dataclass(frozen=True)
class ClauseTest:
    """One clause of the contract, and the test of it."""

    name: str
    requirement: str
    violation: Callable[[StackUnderTest], str | None]
    """tests the stack; returns None if the clause holds, otherwise what the stack did instead"""
    spot_check: "SpotCheck | None" = None
    """a request by which the load engine tests it during the load; None: only the lab's requests do"""
    expected: str = ""
    """the answer that its request is to get, in words; empty: the requirement says it"""


UNKNOWN_IDS = range(500_000_000, 1_000_000_000)
"""No table has so many rows."""


def unknown_id() -> int:
    """An id that no row has. It is drawn, so that no stack can know which unknown rows are asked for."""
    return random.SystemRandom().choice(UNKNOWN_IDS)


def answers_status(
    name: str, method: str, path: str | Callable[[], str], status: int, requirement: str = "", **options: Any
) -> ClauseTest:
    """A clause that one request is answered with this status.

    Args:
        path: itself, or what draws another one for each request.
        requirement: what the clause says; by default METHOD PATH answers STATUS.
        options: of the request, as `ask` takes them.
    """

    def drawn_path() -> str:
        return path if isinstance(path, str) else path()

    def violation(stack: StackUnderTest) -> str | None:
        actual = ask(stack.client, method, drawn_path(), **options).status
        return None if actual == status else f"status {actual}"

    def spot_check(_data: Data, _options: Any) -> Request:
        return Request(name=name, method=method, path=drawn_path(), expect=Expectation(status=[status], check_every=1))

    return ClauseTest(
        name, requirement or f"{method} {path} answers {status}", violation, None if options else spot_check
    )
