"""Servers that the tests of all services share: each is started once, and a test that alters it restores it."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import RunningService, ServiceStart
from fairtrial.catalog.tables import Table
from tests.catalog.services import outside, stacks_side, stores

Started = TypeVar("Started")

REPORT_EVERY_ROWS = 1_000
SQL = ("postgresql", "mariadb")


def tables_of(name: str) -> Sequence[Table]:
    """What the shared private server of this service holds."""
    if name in SQL:
        return stacks_side.tables()
    return [*stores.documents(), *stores.surveys()] if name == "mongodb" else stores.links()


class Shared:
    """A context manager: leaving it stops all servers."""

    def __init__(self, temporary: Path) -> None:
        self._temporary, self._held = temporary, ExitStack()
        self._private: dict[tuple[str, str], RunningService] = {}
        self._empty: dict[str, RunningService] = {}
        self._outside: dict[str, str] = {}

    @contextmanager
    def private(self, name: str, variant: str = "default") -> Iterator[RunningService]:
        """A private server with `tables_of` the service; restored afterwards if it was altered."""
        key = (name, variant)
        if key not in self._private:
            self._private[key] = self._start(pick_service(name).start(ServiceStart(tables_of(name), variant)))
        running = self._private[key]
        yield running
        if running.altered():
            running.reset()

    def empty(self, name: str) -> RunningService:
        """A private SQL server without tables, in the part of somebody else's; tests leave it empty."""
        if name not in self._empty:
            self._empty[name] = self._start(pick_service(name).start(ServiceStart()))
        return self._empty[name]

    def outside(self, kind: "outside.Outside") -> str:
        """The URL of somebody else's store; tests leave it empty."""
        name = kind.stored.name
        if name not in self._outside:
            self._outside[name] = self._start(outside.server_of(kind, self._temporary))
        return self._outside[name]

    def _start(self, server: AbstractContextManager[Started]) -> Started:
        """In the folder of all tests, whatever the folder of the test is that needs it first."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tempfile, "tempdir", str(self._temporary))
            return self._held.enter_context(server)

    def __enter__(self) -> "Shared":
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()
