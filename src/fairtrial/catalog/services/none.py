"""No database: for workloads that need none, and to see what a stack costs without one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fairtrial.catalog.services.model import Counters, Service, ServiceStart, one_by_one
from fairtrial.record.identity import ServiceIdentity


class Nothing:
    """A service without tables; stacks get no DATABASE_URL."""

    url = ""
    pid = None
    identity = ServiceIdentity(name="none", product="none", where="embedded")

    def fault(self) -> str | None:
        """None: nothing runs that could end."""
        return None

    def altered(self, rows: bool = True) -> str:
        """Empty: there are no tables."""
        del rows
        return ""

    def reset(self) -> None:
        """Does nothing: there are no tables."""

    def counters(self) -> Counters:
        """Empty: nothing counts."""
        return {}

    def end_sessions(self) -> None:
        """Does nothing: nothing is counted."""

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """No rows, whatever the table."""
        del table
        return iter(())

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Does nothing: there are no rows."""

    changing = one_by_one


@contextmanager
def _nothing(_start: ServiceStart) -> Iterator[Nothing]:
    yield Nothing()


SERVICE = Service(
    name="none",
    title="no database",
    roles=("database",),
    start=_nothing,
    missing=lambda: None,
    version=lambda: "built in",
)
