"""The lab's access to a server that speaks the MongoDB protocol."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from pymongo import MongoClient
from pymongo.common import MIN_SUPPORTED_SERVER_VERSION
from pymongo.database import Database
from pymongo.errors import ConfigurationError, ConnectionFailure, DuplicateKeyError, OperationFailure, PyMongoError

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.client import State
from fairtrial.catalog.services.common.external import ExternalClient, ExternalService, external_service
from fairtrial.catalog.services.common.lab_work import LabWork
from fairtrial.catalog.services.common.lease import MarkerLease
from fairtrial.catalog.services.model import Counters, MaintenanceReading, RowsLoaded, one_by_one
from fairtrial.catalog.services.mongodb import NAME, TITLE
from fairtrial.catalog.services.mongodb.documents import ID, Document, as_row, fill
from fairtrial.catalog.tables import Table

MARKER = "fairtrial_marker"
"""The collection by which a database on somebody else's server is known to be the lab's."""

LAB, TEXT = "lab", "text"
"""The key of its only document, and the field that holds the marker."""

CONNECTS_WITHIN_MILLISECONDS = 5_000
TOO_OLD = re.compile(r"reports wire version (\d+), but .* requires at least (\d+) \(MongoDB ([\d.]+)\)")
"""The driver's message about a server that is too old for it; user and address are left out."""

NOT_AUTHENTICATED, NOT_ALLOWED = 18, 13
ANSWERS_OWN = ("$clusterTime", "operationTime", "ok")
"""What a server adds to every answer."""

FORM = "it looks like mongodb://USER:PASSWORD@HOST:PORT/DATABASE"


class MongodbClient(ExternalClient):
    """One database of one server.

    Args:
        package: what the lab installed the server as, if it did.
        login: what the driver needs to log in and the URL does not hold, read when the client is opened.
    """

    def __init__(self, url: str, package: str = "", login: Callable[[], Mapping[str, Any]] = dict) -> None:
        self._url, self._package, self._login = url, package, login
        self._open: MongoClient[Document] | None = None
        self.lab_work = LabWork()

    @property
    def driver(self) -> MongoClient[Document]:
        """The driver's client, opened when it is first used; it gives times as moments in UTC.

        Raises:
            Problem: the URL is malformed.
        """
        if self._open is None:
            milliseconds = CONNECTS_WITHIN_MILLISECONDS
            try:
                self._open = MongoClient(
                    self._url, tz_aware=True, serverSelectionTimeoutMS=milliseconds, **self._login()
                )
            except (PyMongoError, ValueError):
                raise Problem("the URL of the mongodb is malformed", FORM) from None
        return self._open

    @property
    def database(self) -> Database[Document]:
        """The database that the URL names; what the driver raises if it names none is for `driver_errors`."""
        return self.driver.get_default_database()

    def close(self) -> None:
        """Close all connections."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def add_user(self, database: str, user: str, password: str, *roles: str) -> None:
        """Make a user of a database, with these roles.

        Raises:
            Problem: the server cannot be reached, or refused.
        """
        with driver_errors():
            self.driver[database].command("createUser", user, pwd=password, roles=list(roles))

    def ping(self) -> None:
        """Have the server answer `ping`."""
        with driver_errors():
            self.driver.admin.command("ping")

    def product(self) -> str:
        """MongoDB or SecantusDB, with its version."""
        with driver_errors():
            build = self.driver.admin.command("buildInfo")
        version = printable(str(build.get("version", "")), 40)
        if "secantusVersion" in build:
            daemon = printable(str(build["secantusVersion"]), 40)
            return f"{self._package or 'SecantusDB'} (secantusd-rs {daemon}, speaks as MongoDB {version} does)"
        return f"MongoDB {version}"

    def settings(self) -> Mapping[str, str]:
        """Nothing: the protocol does not tell them."""
        return {}

    def load(self, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        """Fill a collection for each table, and verify it."""
        with driver_errors():
            fill(self.database, tables, on_rows)

    def rows_written(self) -> int | None:
        """Operations that wrote in the database; None if the server does not tell."""
        return self.counters_without_lab().get("writes")

    def state(self) -> State:
        """The collections of the database with their indexes, its users, and the server's parameters, as far as it
        tells them to this login."""
        with driver_errors():
            indexes = {
                name: sorted(map(repr, self.database[name].index_information().items()))
                for name in sorted(self._collections())
            }
        return {
            "its collections": repr(list(indexes)),
            "its indexes": repr(indexes),
            "its users": self._text(self.database, "usersInfo", 1),
            "its parameters": self._text(self.driver.admin, "getParameter", "*"),
        }

    def _text(self, database: Database[Document], command: str, argument: object) -> str:
        """The answer to a command but for its time; why it was refused, where the server does not know or allow it."""
        with driver_errors():
            try:
                answer = database.command(command, argument)
            except OperationFailure as error:
                return f"error {error.code}"
        return repr(sorted((name, repr(value)) for name, value in answer.items() if name not in ANSWERS_OWN))

    def counters(self) -> Counters:
        """The operations on all collections of the database, by the command `top`; empty where that is forbidden.

        One operation is one command, whatever the number of its documents: an insert_many is one write. reads are those
        that took the lock for reading (find, count, aggregate) except getMore, which continues a find; writes are those
        that took the lock for writing (insert, update, delete, findAndModify, and the creation of an index). rows_read
        and rows_written are documents returned and inserted, updated or deleted, in all databases of the server;
        MongoDB counts them and SecantusDB does not. reads.COLLECTION and writes.COLLECTION are the operations on one.
        writing_commits are the transactions of MongoDB's storage engine: an operation that writes takes one at least,
        and one that finds nothing to write none; of SecantusDB, the journal has them.
        """
        try:
            with driver_errors():
                totals = self.driver.admin.command("top")["totals"]
                status = self.driver.admin.command("serverStatus")
                prefix = f"{self.database.name}."
        except Forbidden:
            return {}
        collections = {
            name.removeprefix(prefix): operations for name, operations in totals.items() if name.startswith(prefix)
        }

        def count(operation: str, *names: str) -> int:
            counted = [collections[name] for name in names or collections]
            return sum(int(operations[operation]["count"]) for operations in counted if operation in operations)

        counters = {
            "statements": count("total") - count("getmore"),
            "reads": count("readLock") - count("getmore"),
            "writes": count("writeLock"),
        }
        for name in collections:
            counters[f"reads.{name}"] = count("readLock", name) - count("getmore", name)
            counters[f"writes.{name}"] = count("writeLock", name)
        documents = status.get("metrics", {}).get("document", {})
        committed = status.get("wiredTiger", {}).get("transaction", {}).get("transactions committed")
        if committed is not None:
            counters["writing_commits"] = int(committed)
        if documents:
            counters["rows_read"] = int(documents["returned"])
            counters["rows_written"] = sum(int(documents[change]) for change in ("inserted", "updated", "deleted"))
        return counters

    def maintenance(self) -> MaintenanceReading | None:
        """Checkpoints of WiredTiger, which has told of them in another place since MongoDB 8; None: a server without.

        Raises:
            Forbidden: the login may not see the server's status.
        """
        with driver_errors():
            engine = self.driver.admin.command("serverStatus").get("wiredTiger", {})
        transactions, checkpoints = engine.get("transaction", {}), engine.get("checkpoint", {})
        counted = transactions.get("transaction checkpoints", checkpoints.get("total succeed number of checkpoints"))
        if counted is None:
            return None
        under_way = transactions.get("transaction checkpoint currently running", checkpoints.get("progress state", 0))
        return MaintenanceReading({"checkpoints": int(counted)}, frozenset({"checkpoint"} if under_way else ()))

    def rows(self, table: Table) -> Iterator[dict[str, Any]]:
        """All documents of a table's collection."""
        with driver_errors():
            for document in self.database[table.name].find({}):
                yield as_row(table, document)

    def change(self, table: Table, key: int, column: str, value: str) -> int:
        """Set one field of the document with this key; returns that one was written.

        Raises:
            Problem: there is no such document.
        """
        with driver_errors():
            updated = self.database[table.name].update_one({ID: key}, {"$set": {column: value}})
        if not updated.matched_count:
            raise Problem(f"there is no document {key} in {table.name} to change")
        return 1

    changing = one_by_one

    def assert_only_labs_data(self) -> None:
        """Raise Problem unless the database is empty or marked."""
        with driver_errors():
            collections = self._collections()
        if collections and MARKER not in collections:
            raise Problem(
                "the database at that URL holds collections that are not Fairtrial's; nothing was changed",
                "name another database at the end of the URL, one that is empty",
            )

    def _collections(self) -> list[str]:
        return [name for name in self.database.list_collection_names() if not name.startswith("system.")]

    def clear(self, _tables: Sequence[Table]) -> None:
        """Drop all collections but the marker."""
        with driver_errors():
            for name in self._collections():
                if name != MARKER:
                    self.database.drop_collection(name)

    def remove(self) -> None:
        """Drop all collections, the marker last."""
        self.clear([])
        with driver_errors():
            self.database.drop_collection(MARKER)


class MarkerCollection:
    """The marker as a document in a collection of its own."""

    name = MARKER

    def __init__(self, client: MongodbClient) -> None:
        self._client = client

    def read(self) -> str | None:
        """The document's text; None also if an earlier Fairtrial left the collection without a document."""
        with driver_errors():
            document = self._client.database[MARKER].find_one({ID: LAB})
        return None if document is None else str(document.get(TEXT, ""))

    def swap(self, old: str | None, new: str) -> bool:
        """By an insert, of which only one can succeed, or by an update of the old text."""
        with driver_errors():
            is_swapped = self._insert(new) if old is None else self._replace(old, new)
        self._client.lab_work.add({"statements": 1, "writes": 1, "rows_written": 1}, int(is_swapped))
        return is_swapped

    def _insert(self, new: str) -> bool:
        try:
            self._client.database[MARKER].insert_one({ID: LAB, TEXT: new})
        except DuplicateKeyError:
            return False
        return True

    def _replace(self, old: str, new: str) -> bool:
        updated = self._client.database[MARKER].update_one({ID: LAB, TEXT: old}, {"$set": {TEXT: new}})
        return updated.matched_count == 1


def external_mongodb(url: str, tables: Sequence[Table], on_rows: RowsLoaded) -> AbstractContextManager[ExternalService]:
    """The tables in the database of the URL, which has to be empty or marked as the lab's; removed at the end.

    Raises:
        Problem: (when entered) the URL is malformed, the server cannot be reached or refuses, its database holds
            something else, or another lab has it. The URL is in no message.
    """
    client = MongodbClient(url)
    return external_service(NAME, url, client, MarkerLease(TITLE, MarkerCollection(client)), tables, on_rows)


class Forbidden(Problem):
    """The server does not allow the lab to do that."""


@contextmanager
def driver_errors() -> Iterator[None]:
    """Raise what the driver raises as Problem. Its own messages may hold parts of the URL: they are not passed on."""
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
        raise Problem("the URL of the mongodb names no database, or options that do not exist", FORM) from None
    except ConnectionFailure:
        # One that is older than MongoDB 3.6 does not understand the client, and ends the connection.
        remedy = f"does it run, are host and port right, is it MongoDB {MIN_SUPPORTED_SERVER_VERSION} or newer?"
        raise Problem("mongodb cannot be reached", remedy) from None
    except OperationFailure as error:
        if error.code == NOT_AUTHENTICATED:
            raise Problem("mongodb refused the user name or the password", "see the user in the URL") from None
        code = str((error.details or {}).get("codeName", "")) or f"error {error.code}"
        kind = Forbidden if error.code == NOT_ALLOWED else Problem
        raise kind(f"mongodb refused a command of the lab's: {printable(code, 60)}") from None
    except PyMongoError as error:
        raise Problem(f"mongodb: {type(error).__name__}") from None
