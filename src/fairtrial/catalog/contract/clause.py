"""Clauses: what a stack owes, as something that can be tried."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from fairtrial.catalog.tables import Data


@dataclass
class Attempt:
    """One attempt to prove a running stack: shared by its clauses."""

    client: httpx.Client
    data: Data
    options: Any
    """the workload's own"""
    listening: set[tuple[str, int]]
    """(address, port) of every socket on which the stack listens"""
    memory: dict[str, Any] = field(default_factory=dict)
    """what one clause learned that a later one needs"""


@dataclass(frozen=True)
class ClauseTest:
    """One clause of the contract."""

    name: str
    requirement: str
    attempt: Callable[[Attempt], str | None]
    """returns None when the clause holds, otherwise what was seen"""
