"""Calls of methods on a further host of a lane: those of the Protocols of services, each of which is named there alone.

A call is a message: its number, the number of what is called, the method, and its arguments. What is called is the lab
on that host (0), or what a call before has left: a service or a balancer that is up, a function that changes rows.
"""

import inspect
from dataclasses import dataclass

from fairtrial.catalog.services.model import (
    CanBeKilled,
    LogsCommits,
    RunningService,
    TellsDurability,
    TellsKeysRead,
    TellsMaintenance,
)

PROTOCOLS = (RunningService, TellsDurability, TellsMaintenance, LogsCommits, CanBeKilled, TellsKeysRead)
"""Those that a service on another host follows."""

METHODS = frozenset(
    name
    for protocol in PROTOCOLS
    for name, member in vars(protocol).items()
    if inspect.isfunction(member) and not name.startswith("_")
)

ATTRIBUTES = frozenset(
    name
    for protocol in PROTOCOLS
    for name in (*vars(protocol), *inspect.get_annotations(protocol))
    if name not in METHODS and not name.startswith("_")
)
"""Their attributes and properties."""


NEXT, CLOSE = "next rows", "close"
"""A value that lasts has two calls beside its methods: the next rows of an iterator, as JSON, and its end."""


@dataclass(frozen=True)
class Lasting:
    """A value that a method returned there and that lasts from one call to another: a context manager, or else an
    iterator."""

    number: int
    """by which calls name it; of a context manager, what it gave when it was entered"""
    is_context: bool
