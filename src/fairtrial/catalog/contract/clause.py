"""Clauses: what a stack must do, each with the requests that test it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.tables import Data
from fairtrial.engine.plan import Expectation, Request
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
    path: str = "/health"
    """one that it answers by GET, whatever the workload; with which status does not matter"""
    on_summary: Callable[[EngineSummary], None] = lambda _summary: None
    """is told of every run of the engine against it, so that each of its requests is counted"""


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
    """a request by which the load engine tests it during the load; None: only the lab's own requests do"""


def answers_status(name: str, method: str, path: str, status: int, requirement: str = "", **options: Any) -> ClauseTest:
    """A clause that one request is answered with this status.

    Args:
        requirement: what the clause says; by default METHOD PATH answers STATUS.
        options: of the request, as `ask` takes them.
    """

    def violation(stack: StackUnderTest) -> str | None:
        actual = ask(stack.client, method, path, **options).status
        return None if actual == status else f"status {actual}"

    spot_check = Request(name=name, method=method, path=path, expect=Expectation(status=[status], check_every=1))
    return ClauseTest(
        name,
        requirement or f"{method} {path} answers {status}",
        violation,
        None if options else lambda _data, _options: spot_check,
    )
