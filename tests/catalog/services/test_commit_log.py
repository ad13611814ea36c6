"""Commits in a database's own log: each that wrote something, and whatever else looks like one is none."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pymongo
import pymysql
import pytest

from fairtrial.catalog.services.model import LogsCommits, RunningService
from fairtrial.catalog.services.mongodb import journal
from fairtrial.catalog.services.postgresql.commit_log import writing_commits
from tests.catalog.services.shared import Shared
from tests.catalog.services.stacks_side import connect
from tests.machine.needs import needs

TIMES = 10
UPDATE = "UPDATE units SET value = value + 1 WHERE id = 1"
COMMITS: dict[str, tuple[list[str], int]] = {
    "an update": ([UPDATE], 1),
    "an update of an equal value, which PostgreSQL writes": (["UPDATE units SET value = value WHERE id = 2"], 1),
    "several in a transaction": (["BEGIN", UPDATE, UPDATE, "COMMIT"], 1),
    "a transaction within a savepoint": (["BEGIN", "SAVEPOINT a", UPDATE, "RELEASE a", "COMMIT"], 1),
    "savepoints": (["BEGIN", *["SAVEPOINT a", UPDATE, "RELEASE a"] * 8, "COMMIT"], 1),
    "an update of nothing": (["UPDATE units SET value = value + 1 WHERE false"], 0),
    "a transaction that is rolled back": (["BEGIN", UPDATE, "ROLLBACK"], 0),
    "the number of a transaction": (["SELECT pg_current_xact_id()"], 0),
    "a notification": (["NOTIFY somebody"], 0),
    "a read": (["SELECT count(*) FROM units"], 0),
}


def logged(service: RunningService, do: Callable[[], object]) -> int | None:
    assert isinstance(service, LogsCommits)
    with service.log_retention():
        since = service.log_end()
        do()
        until = service.log_end()
    assert since is not None and until is not None
    return service.commits_in_log(since, until)


@needs("postgresql")
@pytest.mark.parametrize("variant", ["default", "relaxed"])
def test_what_takes_a_number_and_writes_nothing_is_no_commit_of_postgresql(shared: Shared, variant: str) -> None:
    with shared.private("postgresql", variant) as running, connect(running.url) as connection:
        connection.autocommit = True
        for name, (statements, commits) in COMMITS.items():

            def do(statements: list[str] = statements) -> None:
                for statement in statements * TIMES:
                    connection.execute(statement)

            assert (name, logged(running, do)) == (name, commits * TIMES)


@needs("mariadb")
def test_a_transaction_that_is_rolled_back_is_no_commit_of_mariadb(shared: Shared) -> None:
    read = ["BEGIN", "SELECT value FROM units WHERE id = 1", "ROLLBACK"]
    insert = "INSERT INTO units (id, name, value, label) VALUES"
    duplicate = f"{insert} (1, 'x', 1, 'y')"
    commits = {
        "an update": ([UPDATE], 1),
        "several in a transaction": (["BEGIN", UPDATE, UPDATE, "COMMIT"], 1),
        "after a savepoint": (["BEGIN", UPDATE, "SAVEPOINT a", UPDATE, "ROLLBACK TO a", "COMMIT"], 1),
        "reads that are rolled back beside it": ([*read, UPDATE, *read], 1),
        "locks that are rolled back beside it": (["BEGIN", f"{read[1]} FOR UPDATE", "ROLLBACK", UPDATE], 1),
        "a duplicate, then an update": (["BEGIN", duplicate, UPDATE, "COMMIT"], 1),
        "a transaction that is rolled back": (["BEGIN", UPDATE, "ROLLBACK"], 0),
        "one that is rolled back, and reads beside it": (["BEGIN", UPDATE, "ROLLBACK", *read[:2], "COMMIT"], 0),
        "one that is rolled back to its start": (["BEGIN", "SAVEPOINT a", UPDATE, "ROLLBACK TO a", "COMMIT"], 0),
        "a duplicate": ([duplicate], 0),
        "a row and a duplicate": ([f"{insert} (NULL, 'x', 1, 'y'), (1, 'x', 1, 'y')"], 0),
        "an update of nothing": (["UPDATE units SET value = value + 1 WHERE false"], 0),
        "an update of an equal value": (["UPDATE units SET value = value WHERE id = 1"], 0),
    }
    with shared.private("mariadb") as running, connect(running.url) as connection:
        for name, (statements, each) in commits.items():

            def do(statements: list[str] = statements) -> None:
                with connection.cursor() as cursor:
                    for statement in statements * TIMES:
                        with suppress(pymysql.err.IntegrityError):
                            cursor.execute(statement)

            counted = logged(running, do)
            assert counted is not None and each * TIMES <= counted <= each * TIMES + 2, (name, counted)


def test_a_log_that_cannot_be_read_says_nothing(shared: Shared, tmp_path: Path) -> None:
    assert journal.end(tmp_path) == ""
    assert journal.commits_between(tmp_path, "", "", "x") is None
    assert journal.commits_between(tmp_path, "2:128", "3:0", "x") is None, "files were removed meanwhile"
    lines = ["rmgr: Heap len (rec/tot): 1/1, tx: 7, lsn: 0/1, prev 0/0, desc: INSERT off 1", "pg_waldump: error: no"]
    assert writing_commits(lines) == 0


@pytest.fixture
def documents(shared: Shared) -> Iterator[tuple[RunningService, Any]]:
    with shared.private("mongodb") as running, pymongo.MongoClient[dict[str, Any]](running.url) as client:
        yield running, client.get_default_database()


@needs("mongodb")
def test_a_command_that_writes_nothing_is_no_commit_of_secantusdb(documents: tuple[RunningService, Any]) -> None:
    running, database = documents
    if not isinstance(running, LogsCommits) or running.log_end() is None:
        assert "writing_commits" in running.counters(), "MongoDB itself counts them"
        return
    surveys, ids = database.surveys, count(1)
    surveys.insert_one({"_id": -1, "uuid": -1})

    def twice() -> None:
        with pytest.raises(pymongo.errors.DuplicateKeyError):
            surveys.insert_one({"_id": -1})

    def in_transaction() -> None:
        with database.client.start_session() as session, session.start_transaction():
            for _ in range(8):
                surveys.insert_one({"_id": next(ids)}, session=session)

    commits: dict[str, tuple[Callable[[], object], int]] = {
        "insert_one": (lambda: surveys.insert_one({"_id": next(ids)}), 1),
        "insert_many": (lambda: surveys.insert_many([{"_id": next(ids)} for _ in range(8)]), 1),
        "an upsert": (lambda: surveys.replace_one({"_id": next(ids)}, {"uuid": 1}, upsert=True), 1),
        "an update": (lambda: surveys.update_one({"_id": -1}, {"$inc": {"uuid": 1}}), 1),
        "findAndModify": (lambda: surveys.find_one_and_update({"_id": -1}, {"$inc": {"uuid": 1}}), 1),
        "a transaction": (in_transaction, 1),
        "an update of nothing": (lambda: surveys.update_one({"_id": -2}, {"$set": {"uuid": 1}}), 0),
        "an insert that is refused": (twice, 0),
        "a find": (lambda: surveys.find_one({"_id": -1}), 0),
    }
    for name, (do, each) in commits.items():

        def often(do: Callable[[], object] = do) -> None:
            for _ in range(TIMES):
                do()

        assert (name, logged(running, often)) == (name, each * TIMES)
