"""How MongoDB's protocol is spoken."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from pymongo.common import MIN_SUPPORTED_SERVER_VERSION
from pymongo.errors import (
    ConfigurationError,
    ConnectionFailure,
    OperationFailure,
    PyMongoError,
)

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Counters
from fairtrial.catalog.services.private.mongo_program import Program
from fairtrial.catalog.services.stores.documents import ID, Client, Document, as_row
from fairtrial.catalog.tables import Table
from fairtrial.record.model import ServiceIdentity

CONNECTS_WITHIN_MILLISECONDS = 5_000
TOO_OLD = re.compile(r"reports wire version (\d+), but .* requires at least (\d+) \(MongoDB ([\d.]+)\)")
"""What the client says of a server that it is too new for; who and where are left out."""

NOT_AUTHENTICATED, NOT_ALLOWED = 18, 13
FORM = "it looks like mongodb://USER:PASSWORD@HOST:PORT/DATABASE"


class Store:
    """The tables in one database of one server, as the lab sees them."""

    def __init__(
        self, tables: Sequence[Table], url: str, where: Literal["private", "external"], program: Program | None
    ) -> None:
        self._tables, self._where, self._program, self.url = tables, where, program, url
        self._changes_of_the_lab = 0
        self._writes_as_loaded: int | None = None
        self.client = connected(url)
        try:
            with spoken():
                self._database = self.client.get_default_database()
        except Problem:
            self.client.close()
            raise

    def loaded(self) -> None:
        """What is stored now is what was loaded."""
        with spoken():
            product = _product(self.client.admin.command("buildInfo"), self._program)
        self.identity = ServiceIdentity(
            name="mongodb",
            product=product,
            where=self._where,
            settings=self._program.settings if self._program else {},
        )
        self._changes_of_the_lab, self._writes_as_loaded = 0, self._counted().get("writes")

    def altered(self) -> bool:
        """Whether any operation of others than the lab wrote in the database.

        True of a server that cannot be asked; False of one that keeps it to itself.
        """
        try:
            writes = self._counted().get("writes")
        except Problem:
            return True
        if writes is None or self._writes_as_loaded is None:
            return False
        return writes != self._writes_as_loaded + self._changes_of_the_lab

    def counters(self) -> Counters:
        """The operations on all collections of the database, by the command `top`; empty where that is forbidden.

        One operation is one command, whatever the number of its documents: an insert_many is one write. reads are those
        that took the lock for reading (find, count, aggregate) without getMore, which goes on with a find; writes
        are those that took the one for writing (insert, update, delete, findAndModify, and the making of an index).
        rows_read and rows_written are documents returned and inserted, updated or deleted, on all databases of the
        server; MongoDB counts them and SecantusDB does not. Nothing of a server that cannot be asked.
        """
        try:
            return self._counted()
        except Problem:
            return {}

    def _counted(self) -> Counters:
        try:
            with spoken():
                totals = self.client.admin.command("top")["totals"]
                documents = self.client.admin.command("serverStatus").get("metrics", {}).get("document", {})
        except Forbidden:
            return {}
        own = [told for name, told in totals.items() if name.startswith(f"{self._database.name}.")]

        def count(what: str) -> int:
            return sum(int(told[what]["count"]) for told in own if what in told)

        more = count("getmore")
        counters = {
            "statements": count("total") - more,
            "reads": count("readLock") - more,
            "writes": count("writeLock"),
        }
        if documents:
            counters["rows_read"] = int(documents["returned"])
            counters["rows_written"] = sum(int(documents[what]) for what in ("inserted", "updated", "deleted"))
        return counters

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All documents of a table's collection."""
        of = self._table(table)
        with spoken():
            for document in self._database[table].find({}):
                yield as_row(of, document)

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set one field of the document with this key."""
        self._table(table)
        with spoken():
            found = self._database[table].update_one({ID: key}, {"$set": {column: value}})
        self._changes_of_the_lab += 1
        if not found.matched_count:
            raise Problem(f"there is no document {key} in {table} to change")

    def _table(self, name: str) -> Table:
        table = next((table for table in self._tables if table.name == name), None)
        if table is None:
            raise Problem(f"there is no table {name}")
        return table


class Forbidden(Problem):
    """The server does not allow the lab to do that."""


def connected(url: str) -> Client:
    """A client; times come as moments in UTC."""
    try:
        return Client(url, tz_aware=True, serverSelectionTimeoutMS=CONNECTS_WITHIN_MILLISECONDS)
    except (PyMongoError, ValueError):
        raise Problem("the URL of the mongodb is malformed", FORM) from None


@contextmanager
def spoken() -> Iterator[None]:
    """What the client raises, as Problem. Its own words may hold parts of the URL: they are not passed on."""
    try:
        yield
    except ConfigurationError as error:
        too_old = TOO_OLD.search(str(error))
        if too_old:
            raise Problem(
                f"the mongodb speaks version {too_old[1]} of the wire protocol; {too_old[2]} or newer is needed "
                f"(MongoDB {too_old[3]})",
                "name a newer server, or have the lab start one of its own",
            ) from None
        raise Problem("the URL of the mongodb names no database, or options it does not have", FORM) from None
    except ConnectionFailure:
        # One that is older than MongoDB 3.6 does not understand the client, and ends the connection.
        remedy = f"does it run, are host and port right, is it MongoDB {MIN_SUPPORTED_SERVER_VERSION} or newer?"
        raise Problem("mongodb cannot be reached", remedy) from None
    except OperationFailure as error:
        if error.code == NOT_AUTHENTICATED:
            raise Problem("mongodb refused the user name or the password", "see the user in the URL") from None
        named = str((error.details or {}).get("codeName", "")) or f"error {error.code}"
        kind = Forbidden if error.code == NOT_ALLOWED else Problem
        raise kind(f"mongodb refused a command of the lab's: {printable(named, 60)}") from None
    except PyMongoError as error:
        raise Problem(f"mongodb: {type(error).__name__}") from None


def _product(told: Document, program: Program | None) -> str:
    version = printable(str(told.get("version", "")), 40)
    if "secantusVersion" in told:
        own = printable(str(told["secantusVersion"]), 40)
        name = program.package if program and program.package else "SecantusDB"
        return f"{name} (secantusd-rs {own}, speaks as MongoDB {version} does)"
    return f"MongoDB {version}"
