"""How the lab speaks to one database server, whoever runs it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any, Protocol, runtime_checkable

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
    """what the lab did, of which `counters_of` says nothing; the client adds what it writes beside changes of rows"""

    def ping(self) -> None:
        """Have the server answer something that costs nothing."""

    def product(self) -> str:
        """What the server calls itself, with its version."""

    def settings(self) -> Mapping[str, str]:
        """The settings that bear on speed and durability, as far as the server tells them."""

    def load(self, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        """Create the tables with their indexes, fill them, and verify what the server then holds."""

    def mark_loaded(self) -> None:
        """From now on, `altered` compares with what the database holds at this moment."""

    def altered(self) -> bool:
        """Whether anybody but this client wrote since `mark_loaded`, as far as the server counts writes."""

    def counters(self) -> Counters:
        """As `RunningService.counters`, what the lab did among them: ask `counters_of`."""

    def rows(self, table: Table) -> Iterator[dict[str, Any]]:
        """As `RunningService.rows`."""

    def changing(self, table: Table, column: str, *, together: bool = False) -> AbstractContextManager[ClientChange]:
        """As `RunningService.changing`, to be called by `lab_changing` alone."""

    def close(self) -> None:
        """Close all connections. The client may be used again: it then opens new ones."""


@runtime_checkable
class KeyClient(Protocol):
    """The lab's access to a store that tells of single keys whether they were read. Both raise Problem."""

    def mark_unread(self, keys: Sequence[bytes]) -> None:
        """As `TellsKeysRead.mark_unread`."""

    def keys_read(self, keys: Sequence[bytes]) -> int:
        """As `TellsKeysRead.keys_read`."""


@runtime_checkable
class ChangeCounts(Protocol):
    """The lab's access to a server whose counters take a change of a row for something else than `one_write`."""

    def change_in_counters(self, table: Table) -> ChangeInCounters:
        """What it adds to `counters` to change one row of a table."""


@runtime_checkable
class MaintenanceClient(Protocol):
    """The lab's access to a database that tells what it does for itself. Raises Problem."""

    def maintenance(self) -> MaintenanceReading | None:
        """As `TellsMaintenance.maintenance`."""


def maintenance_of(client: Client) -> MaintenanceReading | None:
    """What the server did for itself so far; None if its client does not know how to ask, or it does not tell.

    Raises:
        Problem: it cannot be asked, or does not show it to this login.
    """
    return client.maintenance() if isinstance(client, MaintenanceClient) else None


def answers(client: Client) -> bool:
    """Whether the server answers; the client is closed afterwards."""
    with closing(client):
        try:
            client.ping()
        except Problem:
            return False
        return True


def counters_of(client: Client) -> Counters:
    """The server's counters without what the lab did; empty if it cannot be asked."""
    try:
        return counters_without_lab(client)
    except Problem:
        return {}


def counters_without_lab(client: Client) -> Counters:
    """The server's counters without what the lab did.

    Raises:
        Problem: it cannot be asked.
    """
    return client.lab_work.left_out_of(client.counters())


def change_by_lab(client: Client, table: Table, key: int, column: str, value: str) -> None:
    """As `RunningService.change`. It is the lab's own work."""
    with lab_changing(client, table, column) as change:
        change(key, value)


@contextmanager
def lab_changing(client: Client, table: Table, column: str, *, together: bool = False) -> Iterator[Change]:
    """As `RunningService.changing`. Each change is the lab's own work, from before the server gets it."""
    counted = client.change_in_counters(table) if isinstance(client, ChangeCounts) else one_write(table)
    with client.changing(table, column, together=together) as change:

        def change_as_lab(key: int, value: str) -> None:
            client.lab_work.add(counted.statement)
            client.lab_work.add(counted.row, change(key, value))

        yield change_as_lab


def table_named(tables: Sequence[Table], name: str) -> Table:
    """The table of this name.

    Raises:
        Problem: there is none.
    """
    table = next((table for table in tables if table.name == name), None)
    if table is None:
        raise Problem(f"there is no table {name}")
    return table
