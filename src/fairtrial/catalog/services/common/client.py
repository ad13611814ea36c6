"""How the lab speaks to one database server, whoever runs it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any, Protocol

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.lab_work import ChangeInCounters, ClientChange, LabWork, one_write
from fairtrial.catalog.services.model import Change, Counters, MaintenanceReading, RowsLoaded
from fairtrial.catalog.tables import Table


class Client(Protocol):
    """The lab's access to one database.

    Every method raises Problem if the server cannot be reached or refuses; the message holds neither the URL nor a
    password.
    """

    lab_work: LabWork
    """what the lab did, of which `counters_without_lab` says nothing; the client adds what it writes beside changes of
    rows"""

    def ping(self) -> None:
        """Have the server answer something that costs nothing."""

    def product(self) -> str:
        """The server's name for itself, with its version."""

    def settings(self) -> Mapping[str, str]:
        """The settings that bear on speed and durability, as far as the server tells them."""

    def load(self, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        """Create the tables with their indexes, fill them, and verify what the server then holds."""

    def mark_loaded(self) -> None:
        """From now on, `altered` compares with what the database holds at this moment."""

    def altered(self) -> bool:
        """Whether anybody but this client wrote since `mark_loaded`, as far as the server counts writes."""

    def counters(self) -> Counters:
        """As `RunningService.counters`, what the lab did among them: ask `counters_without_lab`."""

    def rows(self, table: Table) -> Iterator[dict[str, Any]]:
        """As `RunningService.rows`."""

    def changing(self, table: Table, column: str, *, together: bool = False) -> AbstractContextManager[ClientChange]:
        """As `RunningService.changing`, to be called by `LoadedService.changing` alone."""

    def close(self) -> None:
        """Close all connections. The client may be used again: it then opens new ones."""

    def mark_unread(self, _keys: Sequence[bytes]) -> bool:
        """As `TellsKeysRead.mark_unread`."""
        return False

    def keys_read(self, _keys: Sequence[bytes]) -> int:
        """As `TellsKeysRead.keys_read`, where `mark_unread` answered with true."""
        return 0

    def change_in_counters(self, table: Table) -> ChangeInCounters:
        """The change of `counters` by a change of one row of a table."""
        return one_write(table)

    def maintenance(self) -> MaintenanceReading | None:
        """As `TellsMaintenance.maintenance`."""
        return None

    def counters_without_lab(self) -> Counters:
        """The server's counters without what the lab did."""
        return self.lab_work.left_out_of(self.counters())


class LoadedService:
    """Tables on a server, as its client asks for them, whoever runs the server."""

    def __init__(self, client: Client, tables: Sequence[Table]) -> None:
        self._client, self._tables = client, tables

    def counters(self) -> Counters:
        """The server's counters without what the lab did, as far as it tells; empty if it cannot be asked."""
        try:
            return self._client.counters_without_lab()
        except Problem:
            return {}

    def maintenance(self) -> MaintenanceReading | None:
        """The server's work for itself so far; None if its client does not know how to ask, or it does not tell.

        Raises:
            Problem: it cannot be asked, or does not show it to this login.
        """
        return self._client.maintenance()

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All rows of a table."""
        return self._client.rows(table_named(self._tables, table))

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set one column of the row with this key."""
        with self.changing(table, column) as change:
            change(key, value)

    @contextmanager
    def changing(self, table: str, column: str, *, together: bool = False) -> Iterator[Change]:
        """To set that column of one row after the other, over one connection.

        Each change is the lab's own work, from before the server gets it.
        """
        client, to_change = self._client, table_named(self._tables, table)
        counted = client.change_in_counters(to_change)
        with client.changing(to_change, column, together=together) as change:

            def change_as_lab(key: int, value: str) -> None:
                client.lab_work.add(counted.statement)
                client.lab_work.add(counted.row, change(key, value))

            yield change_as_lab


def answers(client: Client) -> bool:
    """Whether the server answers; the client is closed afterwards."""
    with closing(client):
        try:
            client.ping()
        except Problem:
            return False
        return True


def table_named(tables: Sequence[Table], name: str) -> Table:
    """The table of this name.

    Raises:
        Problem: there is none.
    """
    table = next((table for table in tables if table.name == name), None)
    if table is None:
        raise Problem(f"there is no table {name}")
    return table
