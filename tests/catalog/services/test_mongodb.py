"""The MongoDB protocol: documents, counters by operation, and which server it is."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pymongo
import pytest

from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import CanBeKilled, RunningService, ServiceStart
from fairtrial.catalog.services.mongodb.program import installed_program
from tests.catalog.services.shared import Shared
from tests.catalog.services.stores import documents
from tests.machine.needs import needs

pytestmark = needs("mongodb")

Document = dict[str, Any]
Collection = pymongo.collection.Collection[Document]
INSERTED = 8


@pytest.fixture
def running(shared: Shared) -> Iterator[RunningService]:
    with shared.private("mongodb") as up:
        yield up


@pytest.fixture
def database(running: RunningService) -> Iterator[pymongo.database.Database[Document]]:
    with pymongo.MongoClient[Document](running.url, tz_aware=True) as client:
        yield client.get_default_database()


def test_rows_are_documents_of_their_own_types_with_indexes(database: pymongo.database.Database[Document]) -> None:
    row = documents()[0].rows.sample()[2]
    document = database.items.find_one({"_id": row["id"]})
    assert document is not None
    assert document["created_at"] == datetime.fromisoformat(row["created_at"]).astimezone(UTC)
    assert (document["segment"], document["uuid"]) == (row["segment"], row["uuid"])
    indexes = {tuple(index["key"]): bool(index.get("unique")) for index in database.items.list_indexes()}
    assert indexes == {("_id",): False, ("uuid",): True, ("segment",): False}
    assert [tuple(index["key"]) for index in database.surveys.list_indexes()] == [("_id",), ("survey", "user_number")]
    with pytest.raises(pymongo.errors.DuplicateKeyError):
        database.items.insert_one({"_id": -1, "uuid": row["uuid"]})


def test_stored_documents_are_read_back(running: RunningService, database: pymongo.database.Database[Document]) -> None:
    stored = {"survey": "s8", "user_number": 1, "answers": {"Q1": "é"}}
    made = database.surveys.insert_one(dict(stored))
    assert list(running.rows("surveys")) == [{"id": str(made.inserted_id), **stored}]
    assert running.altered()
    running.reset()
    assert list(running.rows("surveys")) == []


READS: dict[str, tuple[Callable[[Collection], object], int]] = {
    "find_one": (lambda items: items.find_one({"_id": 1}), 1),
    "count, then find": (lambda items: (items.count_documents({"segment": 1}), list(items.find({"segment": 1}))), 2),
    "aggregate": (lambda items: list(items.aggregate([{"$sample": {"size": 1}}])), 1),
    "a find of several batches": (lambda items: list(items.find({}, batch_size=1000)), 1),
}

WRITES: dict[str, tuple[Callable[[Collection], object], int]] = {
    "insert_one": (lambda items: items.insert_one({"uuid": "new"}), 1),
    "insert_many": (lambda items: items.insert_many([{"uuid": f"new {n}"} for n in range(INSERTED)]), 1),
    "update_one": (lambda items: items.update_one({"_id": 1}, {"$set": {"name": "x"}}), 1),
    "upsert": (lambda items: items.replace_one({"_id": -1}, {"uuid": "newer"}, upsert=True), 1),
    "find_one_and_update": (lambda items: items.find_one_and_update({"_id": 1}, {"$set": {"name": "x"}}), 1),
    "delete_one": (lambda items: items.delete_one({"_id": 1}), 1),
}


def counted(running: RunningService, items: Collection, do: Callable[[Collection], object]) -> dict[str, int]:
    before = dict(running.counters())
    do(items)
    return {name: count - before[name] for name, count in running.counters().items()}


def test_what_counts_as_a_read(running: RunningService, database: pymongo.database.Database[Document]) -> None:
    for name, (do, reads) in READS.items():
        done = counted(running, database.items, do)
        assert (name, done["statements"], done["reads"], done["writes"]) == (name, reads, reads, 0)
    assert not running.altered()


def test_what_counts_as_a_write(running: RunningService, database: pymongo.database.Database[Document]) -> None:
    for name, (do, writes) in WRITES.items():
        done = counted(running, database.items, do)
        assert (name, done["statements"], done["reads"], done["writes"]) == (name, writes, 0, writes)
        # MongoDB itself also counts documents; SecantusDB does not.
        assert done.get("rows_written", INSERTED if name == "insert_many" else 1) in (1, INSERTED)
    assert running.altered()


def test_operations_are_counted_by_collection(
    running: RunningService, database: pymongo.database.Database[Document]
) -> None:
    """One on another collection, which a stack may make, pays for none on this one."""
    database.surveys.insert_one({"survey": "s8"})
    database.others.insert_one({})
    before = dict(running.counters())
    database.others.find_one({})
    database.others.insert_one({})
    done = {name: count - before[name] for name, count in running.counters().items()}
    assert (done["reads"], done["reads.items"], done["reads.others"]) == (1, 0, 1)
    assert (done["writes"], done["writes.surveys"], done["writes.others"]) == (1, 0, 1)


def test_nobody_gets_in_without_the_password_and_stacks_have_no_more_than_documents(
    running: RunningService, database: pymongo.database.Database[Document]
) -> None:
    address = running.url.partition("@")[2]
    database.items.find_one({})
    refused = pymongo.errors.OperationFailure
    for login in ("", "fairtrial:guess@", "lab:lab@"):
        with pymongo.MongoClient[Document](f"mongodb://{login}{address}") as client, pytest.raises(refused):
            client.get_default_database().items.find_one({})
    with pymongo.MongoClient[Document](running.url) as client:
        for forbidden in ("top", "serverStatus"):
            with pytest.raises(refused):
                client.admin.command(forbidden)
        with pytest.raises(refused):
            client.get_default_database().command("createUser", "another", pwd="x", roles=["readWrite"])
        with pytest.raises(refused):
            client["elsewhere"].items.insert_one({})


def test_the_password_is_a_new_one_for_each_server_and_outlives_a_crash(running: RunningService) -> None:
    with pick_service("mongodb").start(ServiceStart(documents())) as other:
        assert isinstance(other, CanBeKilled)
        assert other.url.partition("@")[0] != running.url.partition("@")[0]
        other.kill()
        other.start_again()
        with pymongo.MongoClient[Document](other.url) as client:
            assert client.get_default_database().items.find_one({}) is not None


def test_it_is_called_what_it_is(running: RunningService) -> None:
    program = installed_program()
    assert program is not None
    for product in (running.identity.product, pick_service("mongodb").version() or ""):
        assert product.startswith("MongoDB " if program.is_mongod else "SecantusDB ")
