"""One database of a server that runs already and speaks MongoDB's protocol."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.services.stores.claim import Claim, in_hand
from fairtrial.catalog.services.stores.documents import ID, Document, fill
from fairtrial.catalog.services.stores.mongodb import Store, spoken
from fairtrial.catalog.tables import Table

TITLE = "the MongoDB protocol"
MARKER = "fairtrial_marker"
"""The collection by which a database on a server of somebody else's is known to be the lab's."""

LAB, TEXT = "lab", "text"
"""The key of its one document, and the field that holds the marker."""


class MarkerCollection:
    """The marker as a document in a collection of its own."""

    name = MARKER

    def __init__(self, collection: Collection[Document]) -> None:
        self._collection = collection

    def read(self) -> str | None:
        """Of the document; None also where an earlier Fairtrial left the collection without one."""
        with spoken():
            found = self._collection.find_one({ID: LAB})
        return None if found is None else str(found.get(TEXT, ""))

    def swap(self, old: str | None, new: str) -> bool:
        """By an insert, of which only one can succeed, or by an update that looks at what is there."""
        with spoken():
            if old is not None:
                return self._collection.update_one({ID: LAB, TEXT: old}, {"$set": {TEXT: new}}).matched_count == 1
            try:
                self._collection.insert_one({ID: LAB, TEXT: new})
            except DuplicateKeyError:
                return False
            return True


class ExternalMongo(Store):
    """The lab's, while it has its marker there."""

    pid = None

    def __init__(self, tables: Sequence[Table], url: str, on_rows: RowsLoaded) -> None:
        super().__init__(tables, url, "external", None)
        self._on_rows = on_rows
        self.claim = Claim(TITLE, MarkerCollection(self._database[MARKER]))

    def assert_own(self) -> None:
        """Raise a Problem unless the database is empty or marked."""
        with spoken():
            there = self._collections()
        if there and MARKER not in there:
            raise Problem(
                "the database at that URL holds collections that are not Fairtrial's; nothing was changed",
                "name another database at the end of the URL, one that is empty",
            )

    def fault(self) -> str | None:
        """Why it does not answer, or None."""
        try:
            with spoken():
                self.client.admin.command("ping")
        except Problem as problem:
            return problem.reason
        return None

    def altered(self) -> bool:
        """As `Store.altered`; true also if another lab may have had the database."""
        self._changes_of_the_lab += 1  # the marker's
        return not self.claim.is_kept() or super().altered()

    def reset(self) -> None:
        """Load everything again."""
        self._clear()
        with spoken():
            fill(self._database, self._tables, self._on_rows)
        self.loaded()

    def leave(self) -> None:
        """Remove what was loaded."""
        self._clear()
        with spoken():
            self._database.drop_collection(MARKER)

    def _clear(self) -> None:
        self.claim.renew()
        with spoken():
            for name in self._collections():
                if name != MARKER:
                    self._database.drop_collection(name)

    def _collections(self) -> list[str]:
        return [name for name in self._database.list_collection_names() if not name.startswith("system.")]


@contextmanager
def connect(url: str, tables: Sequence[Table], on_rows: RowsLoaded) -> Iterator[ExternalMongo]:
    """The tables in the database of the URL, which has to be empty or marked as the lab's; removed at the end.

    Raises:
        Problem: it cannot be reached, refuses, its database holds something else, or another lab uses it; without the
            URL.
    """
    running = ExternalMongo(tables, url, on_rows)
    with closing(running.client), in_hand(running):
        yield running
