"""No database at all: for workloads that need none, and to see what a stack costs without."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fairtrial.catalog.services.model import Counters, RowsLoaded, Service
from fairtrial.catalog.tables import Table
from fairtrial.record.model import ServiceIdentity


class Nothing:
    """Holds nothing and does nothing; stacks get no DATABASE_URL."""

    url = ""
    pid = None
    identity = ServiceIdentity(name="none", product="none", where="embedded")

    def fault(self) -> str | None:
        """None: there is nothing to die."""
        return None

    def altered(self) -> bool:
        """False."""
        return False

    def reset(self) -> None:
        """Nothing to bring back."""

    def counters(self) -> Counters:
        """Nothing."""
        return {}

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """No rows of any table."""
        del table
        return iter(())

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Nothing to change."""


@contextmanager
def up(tables: Sequence[Table], variant: str, on_rows: RowsLoaded) -> Iterator[Nothing]:
    """No tables are loaded."""
    del tables, variant, on_rows
    yield Nothing()


SERVICE = Service(
    name="none", title="no database", roles=("database",), up=up, missing=lambda: None, version=lambda: "built in"
)
