"""A database that runs already: emptied of what an earlier Fairtrial left, loaded, and left as it was found."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Counters, RowsLoaded
from fairtrial.catalog.services.sql.client import Hidden, SqlClient
from fairtrial.catalog.services.sql.lock import DatabaseLock
from fairtrial.catalog.tables import Table
from fairtrial.record.model import ServiceIdentity

MARKER = "fairtrial_marker"
"""A table that holds the names of all tables that the lab made beside it."""

SHOWN_TABLES = 5


@dataclass(frozen=True)
class External:
    """How a kind of database is spoken to where it runs already."""

    client: Callable[[Hidden], SqlClient]
    settings: str
    """a query of (name, value)"""
    version: str
    """a query of the version"""


class ExternalDatabase:
    """The tables in a database of somebody else's server."""

    pid = None

    def __init__(
        self,
        name: str,
        url: str,
        parts: External,
        lab: SqlClient,
        lock: DatabaseLock,
        tables: Sequence[Table],
        on_rows: RowsLoaded,
    ) -> None:
        self.url = url
        self._tables, self._on_rows = tables, on_rows
        self._lab, self._lock = lab, lock
        self._assert_own()
        ((version,),) = self._lab.ask(parts.version)
        self.identity = ServiceIdentity(
            name=name,
            product=printable(f"{self._lab.title} {version}", 100),
            where="external",
            settings={str(key): printable(str(value), 200) for key, value in self._lab.ask(parts.settings)},
        )

    def _assert_own(self) -> None:
        """Raise a Problem if the database holds anything that the lab did not make."""
        there = self._lab.tables()
        made = {MARKER, *self._marked()} if MARKER in there else set()
        others = [name for name in there if name not in made]
        if others:
            shown = ", ".join(printable(name, 60) for name in others[:SHOWN_TABLES])
            more = f" and {len(others) - SHOWN_TABLES} more" if len(others) > SHOWN_TABLES else ""
            raise Problem(
                f"the {self._lab.title} database holds tables that are not Fairtrial's: {shown}{more}",
                "name a database that is empty: Fairtrial drops and loads tables in it",
            )

    def _marked(self) -> list[str]:
        return [str(name) for (name,) in self._lab.ask(f"SELECT name FROM {MARKER}")]  # noqa: S608

    def load(self) -> None:
        """Load the tables, in place of what the lab made before.

        Raises:
            Problem: the database refused.
        """
        self.remove()
        names = ", ".join(f"('{table.name}')" for table in self._tables)
        self._lab.tell(
            f"CREATE TABLE {MARKER} (name VARCHAR(64) NOT NULL PRIMARY KEY)",
            *([f"INSERT INTO {MARKER} VALUES {names}"] if names else []),  # noqa: S608
        )
        self._lab.load(self._tables, self._on_rows)
        self._changed_by_lab = 0
        self._altering_at_start = self._lab.altering()

    def remove(self) -> None:
        """Drop what the lab made, the marker last: what a removal that was cut off left is known by it.

        Raises:
            Problem: the database refused, or is in the hands of another lab.
        """
        self._lock.hold()
        if MARKER in self._lab.tables():
            drops = [f"DROP TABLE IF EXISTS {name}" for name in sorted(self._marked())]
            self._lab.tell(*drops, f"DROP TABLE {MARKER}")

    def fault(self) -> str | None:
        """What it says, if it cannot be reached."""
        try:
            self._lab.ask("SELECT 1")
        except Problem as problem:
            return problem.reason
        return None

    def altered(self) -> bool:
        """Whether more rows were written than the lab itself changed; true of one that cannot be asked, or that another
        lab may have had meanwhile.

        MariaDB does not tell by whom: there, whoever else writes on the server is taken for the stack.
        """
        try:
            return not self._lock.is_held() or self._lab.altering() - self._altering_at_start > self._changed_by_lab
        except Problem:
            return True

    def reset(self) -> None:
        """Drop and load again."""
        self._lab.cut_others(self._lock.hold())
        self.load()

    def counters(self) -> Counters:
        """As far as the login may see them, the lab's own statements among them."""
        try:
            return self._lab.counters()
        except Problem:
            return {}

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All rows of a table."""
        return self._lab.rows(self._named(table))

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set one column of one row."""
        self._changed_by_lab += self._lab.change(self._named(table), key, column, value)

    def _named(self, name: str) -> Table:
        return next(table for table in self._tables if table.name == name)


@contextmanager
def external_database(
    name: str,
    title: str,
    parts_of: Callable[[str], External],
    url: str,
    tables: Sequence[Table],
    on_rows: RowsLoaded,
) -> Iterator[ExternalDatabase]:
    """The tables in the database that the URL names, removed at the end.

    Raises:
        Problem: the URL names no database, it cannot be reached, refuses, holds what is not the lab's, or is in the
            hands of another lab.
    """
    try:
        parts = parts_of(url) if urlsplit(url).path.strip("/") else None
    except ValueError:
        parts = None
    if parts is None:
        raise Problem(
            f"the URL of {title} cannot be read, or names no database",
            "write it as SCHEME://USER:PASSWORD@HOST:PORT/DATABASE, special characters in percent encoding",
        )
    lab = parts.client(_hider(url))
    lab.assert_new_enough()
    with DatabaseLock(lab) as lock:
        service = ExternalDatabase(name, url, parts, lab, lock, tables, on_rows)
        try:
            service.load()
            yield service
        finally:
            with suppress(Problem):  # what is left is marked: the next run removes it
                service.remove()


def _hider(url: str) -> Hidden:
    """Strips a driver's message of the URL, the password and the user."""
    parts = urlsplit(url)
    password, user = parts.password or "", parts.username or ""
    secrets = sorted({url, parts.netloc, password, unquote(password), parts.query}, key=len, reverse=True)

    def hidden(message: str) -> str:
        for secret in secrets:
            if secret:
                message = message.replace(secret, "…")
        return printable(message.replace(f"@{user}", "@…") if user else message, 300)

    return hidden
