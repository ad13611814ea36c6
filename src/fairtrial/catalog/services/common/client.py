"""How the lab speaks to one database server, whoever runs it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any, Protocol

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.lab_work import ChangeInCounters, ClientChange, LabWork, one_write
from fairtrial.catalog.services.model import Change, Counters, MaintenanceReading, RowsLoaded
from fairtrial.catalog.tables import Table

State = Mapping[str, str]
"""By what it is, in words: a text, or a digest, that is the same as long as nobody changes anything of it."""


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

    def rows_written(self) -> int | None:
        """The server's counter that grows whenever somebody changes a row, less the lab's own changes; None: it does
        not tell.

        One that counts nothing of the kind counts statements or commands that may write.
        """

    def state(self) -> State:
        """Settings and objects that outlive a stack's sessions beside the rows, and change how the server serves the
        next stack."""

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
        self._rows_written_at_load: int | None = None
        self._state_at_load: State = {}

    def mark_loaded(self) -> None:
        """From now on, `altered` compares with this moment, and nothing that the lab did so far counts.

        Raises:
            Problem: the server cannot be asked.
        """
        self._client.lab_work.begin_anew()
        self._state_at_load, self._rows_written_at_load = self._client.state(), self._client.rows_written()

    def altered(self, rows: bool = True) -> str:
        """As `RunningService.altered`."""
        before, rows_before = self._state_at_load, self._rows_written_at_load
        try:
            now, rows_now = self._client.state(), self._client.rows_written() if rows else rows_before
        except Problem as problem:
            return f"it cannot be asked: {problem.reason}"
        # More, not other: what the lab wrote may be counted late.
        rows_differ = rows_now is not None and rows_before is not None and rows_now > rows_before
        others = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        return ", ".join([*(["its rows"] if rows_differ else []), *others])

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
