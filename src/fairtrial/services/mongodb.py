"""The MongoDB protocol: MongoDB's own server where it is installed, else SecantusDB, or one that runs already.

Which of them it is, the identity says in the server's own words.
"""

import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pymongo.common import MIN_SUPPORTED_SERVER_VERSION
from pymongo.errors import (
    ConfigurationError,
    ConnectionFailure,
    OperationFailure,
    PyMongoError,
)

from fairtrial.placement.cpus import LOOPBACK
from fairtrial.printable import printable
from fairtrial.problem import Problem
from fairtrial.record.model import ServiceIdentity
from fairtrial.services.documents import ID, Client, Document, as_row, fill
from fairtrial.services.installed import assert_installed
from fairtrial.services.model import Counters, RowsLoaded, Service
from fairtrial.services.private.folder import run_folder
from fairtrial.services.private.mongo_program import LOADING_CACHE_GIB, Program, found_program, install, missing
from fairtrial.services.private.ready_made import ReadyMade, ready_made
from fairtrial.services.private.server import Command, PrivateServer
from fairtrial.tables import Table, tables_sha256

DATABASE = "fairtrial"
LAYOUT = 1
"""Raise it when the way tables are laid out changes: kept data are made again."""

MARKER = "fairtrial_marker"
"""The collection by which a database on a server of somebody else's is known to be the lab's."""

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


class PrivateMongo(Store):
    """A server of the lab's own."""

    def __init__(self, tables: Sequence[Table], program: Program, server: PrivateServer, made: ReadyMade) -> None:
        self._server, self._made = server, made
        server.start(made())
        super().__init__(tables, _url(server.port), "private", program)
        self.loaded()

    @property
    def pid(self) -> int | None:
        """The guard above it."""
        return self._server.pid

    def fault(self) -> str | None:
        """Why it does not run, or None."""
        return self._server.fault()

    def reset(self) -> None:
        """A new process on a copy of what was loaded."""
        self.client.close()
        self._server.restart(self._made())
        self.client = connected(self.url)
        self._database = self.client.get_default_database()
        self.loaded()


class ExternalMongo(Store):
    """One database of a server that runs already."""

    pid = None

    def __init__(self, tables: Sequence[Table], url: str, on_rows: RowsLoaded) -> None:
        super().__init__(tables, url, "external", None)
        self._on_rows = on_rows
        try:
            with spoken():
                there = self._collections()
                if not there:
                    self._mark()
                elif MARKER not in there:
                    raise Problem(
                        "the database at that URL holds collections that are not Fairtrial's; nothing was changed",
                        "name another database at the end of the URL, one that is empty",
                    )
            self.reset()
        except BaseException:
            self.client.close()
            raise

    def fault(self) -> str | None:
        """Why it does not answer, or None."""
        try:
            with spoken():
                self.client.admin.command("ping")
        except Problem as problem:
            return problem.reason
        return None

    def reset(self) -> None:
        """Load everything again."""
        with spoken():
            self._clear()
            fill(self._database, self._tables, self._on_rows)
        self.loaded()

    def leave(self) -> None:
        """Remove what was loaded."""
        with spoken():
            self._clear()
            self._database.drop_collection(MARKER)

    def _clear(self) -> None:
        there = self._collections()
        if MARKER not in there:
            # Someone took the marker away, and may have put something there.
            raise Problem(
                f"the database at that URL no longer holds {MARKER}: nothing was removed from it",
                "see what it holds, and empty it",
            )
        for name in there:
            if name != MARKER:
                self._database.drop_collection(name)

    def _collections(self) -> list[str]:
        return [name for name in self._database.list_collection_names() if not name.startswith("system.")]

    def _mark(self) -> None:
        self._database[MARKER].insert_one({"what": "what lies in this database is Fairtrial's and may be removed"})


class Forbidden(Problem):
    """The server does not allow the lab to do that."""


@contextmanager
def up(tables: Sequence[Table], variant: str, on_rows: RowsLoaded) -> Iterator[PrivateMongo]:
    """A server of the lab's own with the tables.

    Raises:
        Problem: there is none on this machine, or it does not start.
    """
    del variant
    assert_installed(missing())
    program = found_program()
    assert program is not None
    name = "-".join(["mongodb", *(table.name for table in tables)])
    sha256 = tables_sha256(tables, "mongodb", program.version, LAYOUT)

    def fill_at(port: int) -> None:
        with spoken(), closing(connected(_url(port))) as client:
            fill(client.get_default_database(), tables, on_rows)

    def loading(folder: Path) -> Command:
        return program.command(folder, LOADING_CACHE_GIB)

    made = partial(ready_made, program.title, name, sha256, loading, _is_ready, fill_at)
    with (
        run_folder("mongodb") as folder,
        PrivateServer(program.title, folder, program.command(folder), _is_ready) as server,
    ):
        running = PrivateMongo(tables, program, server, made)
        try:
            yield running
        finally:
            running.client.close()


@contextmanager
def connect(url: str, tables: Sequence[Table], on_rows: RowsLoaded) -> Iterator[ExternalMongo]:
    """The tables in the database of the URL, which has to be empty or marked as the lab's; removed at the end.

    Raises:
        Problem: it cannot be reached, refuses, or its database holds something else; without the URL.
    """
    running = ExternalMongo(tables, url, on_rows)
    with closing(running.client):
        try:
            yield running
        finally:
            with suppress(Problem):
                running.leave()


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


def _is_ready(port: int) -> bool:
    try:
        # The client waits for a server that is not there yet longer than it takes to start.
        socket.create_connection((LOOPBACK, port), timeout=1.0).close()
        with closing(connected(_url(port))) as client:
            client.admin.command("ping")
    except (OSError, Problem, PyMongoError):
        return False
    return True


def _url(port: int) -> str:
    return f"mongodb://{LOOPBACK}:{port}/{DATABASE}"


def _product(told: Document, program: Program | None) -> str:
    version = printable(str(told.get("version", "")), 40)
    if "secantusVersion" in told:
        own = printable(str(told["secantusVersion"]), 40)
        name = program.package if program and program.package else "SecantusDB"
        return f"{name} (secantusd-rs {own}, speaks as MongoDB {version} does)"
    return f"MongoDB {version}"


def version() -> str | None:
    """Which of the two is installed, and which version of it."""
    program = found_program()
    return program.version if program else None


SERVICE = Service(
    name="mongodb",
    title="the MongoDB protocol",
    roles=("database",),
    up=up,
    missing=missing,
    version=version,
    schemes=("mongodb", "mongodb+srv"),
    connect=connect,
    install=install,
)
