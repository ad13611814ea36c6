"""Services loaded from files of a user's own, and asked in SQL."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
import redis

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.common.sql import USER
from fairtrial.catalog.services.mariadb import PROGRAMS, SUPERUSER
from fairtrial.catalog.services.mariadb import user_sql as mariadb_files
from fairtrial.catalog.services.model import ServiceStart, SqlAccess
from fairtrial.catalog.services.mongodb import user_documents
from fairtrial.catalog.services.postgresql import PROGRAMS as OF_POSTGRESQL
from fairtrial.catalog.services.postgresql import user_sql as postgresql_files
from fairtrial.catalog.services.redis import user_commands
from fairtrial.catalog.services.redis.client import RedisClient
from tests.catalog.services.lab_client import data_of, lab_client
from tests.catalog.services.shared import Shared
from tests.machine.needs import needs

SCHEMA = """CREATE TABLE orders (id INTEGER PRIMARY KEY, item VARCHAR(20) NOT NULL);
INSERT INTO orders VALUES (1, 'tea'), (2, 'r%ce');
"""
MORE = "INSERT INTO orders VALUES (3, 'cocoa');\n"
COPIED = "COPY public.orders (id, item) FROM stdin;\n3\tcocoa\n\\.\n"
"""As pg_dump writes rows."""

COUNT = "SELECT count(*) FROM orders WHERE item LIKE '%e%'"


def sql_of(name: str) -> SqlAccess:
    sql = pick_service(name).sql
    assert sql is not None
    return sql


def up_with(name: str, *files: Path) -> Any:
    return pick_service(name).start(ServiceStart(files=files))


def answers(name: str, url: str) -> None:
    """Ask and change a database that holds `SCHEMA` and one order more."""
    sql = sql_of(name)
    assert [tuple(row) for row in sql.query(url, COUNT, 5)] == [(2,)]
    assert len(sql.query(url, "SELECT * FROM orders", 5)) == 2, "of more, two are enough to tell"
    sql.execute(url, "DELETE FROM orders WHERE id < 3; UPDATE orders SET item = 'eel'", 5)
    assert [tuple(row) for row in sql.query(url, COUNT, 5)] == [(1,)]
    with pytest.raises(Problem, match=r"refused: .*nothing_there") as refused:
        sql.execute(url, "DELETE FROM nothing_there", 5)
    assert url not in refused.value.reason


@pytest.mark.parametrize(
    ("name", "more"), [("sqlite", MORE), pytest.param("postgresql", COPIED, marks=needs("postgresql"))]
)
def test_a_database_holds_what_sql_files_say(name: str, more: str, temporary: Path, tmp_path: Path) -> None:
    (tmp_path / "1.sql").write_text(SCHEMA)
    (tmp_path / "2.sql").write_text(more)
    with up_with(name, tmp_path / "1.sql", tmp_path / "2.sql") as up:
        answers(name, up.url)
        if name == "postgresql":
            with psycopg.connect(up.url) as connection:
                connection.execute("ALTER TABLE orders ADD note text")  # the stacks' user owns it
            wrong = tmp_path / "wrong.sql"
            wrong.write_text("CREATE TABEL orders (id bigint);\n")
            with pytest.raises(Problem, match=r'wrong.sql: PostgreSQL refused.*"TABEL"'):
                postgresql_files.load(OF_POSTGRESQL.path_of("psql"), up.url, USER, [wrong])
        else:
            up.reset()
            assert [tuple(row) for row in sql_of(name).query(up.url, COUNT, 5)] == [(2,)]


@needs("mariadb")
def test_mariadb_s_own_client_loads_files(temporary: Path, tmp_path: Path, shared: Shared) -> None:
    del temporary
    somebody = shared.empty("mariadb")
    url, socket = somebody.url, data_of(somebody) / "server.sock"
    file, wrong = tmp_path / "1.sql", tmp_path / "wrong.sql"
    file.write_text(f"DELIMITER //\n{SCHEMA.replace(';', '//')}DELIMITER ;\n{MORE}")
    wrong.write_text("INSERT INTO nothing_there VALUES (1);\n")

    def load(each: Path) -> None:
        mariadb_files.load(PROGRAMS.path_of("mariadb|mysql"), socket, SUPERUSER, USER, [each])

    lab_client(somebody).execute(f"ALTER USER {SUPERUSER}@localhost IDENTIFIED BY ''")  # as it is while data are made
    try:
        load(file)
        answers("mariadb", url)
        with pytest.raises(Problem, match=r"wrong.sql: .*nothing_there"):
            load(wrong)
    finally:
        somebody.reset()


def test_what_is_wrong_in_a_file_for_sqlite_is_quoted(temporary: Path, tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("CREATE TABLE a (id);\nINSERT INTO b VALUES (1);\n")
    with pytest.raises(Problem, match=r"(?m)a.sql: SQLite .*b$"):
        up_with("sqlite", tmp_path / "a.sql").__enter__()


@needs("redis")
def test_redis_holds_what_commands_say(tmp_path: Path, shared: Shared) -> None:
    file = tmp_path / "keys.redis"
    file.write_text('# two kinds\nSET greeting "hello there"\n\nHSET order:1 item tea quantity 2\n')
    with shared.private("redis") as up, redis.Redis.from_url(up.url, decode_responses=True) as client:
        user_commands.load(RedisClient(up.url), [file])
        assert client.get("greeting") == "hello there" and client.hgetall("order:1") == {"item": "tea", "quantity": "2"}
        file.write_text("SET a 1\nINCRR a\n")
        with pytest.raises(Problem, match=r"keys.redis: Redis refused.* line 2: "):
            user_commands.load(RedisClient(up.url), [file])


def test_a_file_of_documents_fills_the_collection_of_its_name(tmp_path: Path) -> None:
    file = tmp_path / "orders.jsonl"
    lines = [{"_id": number, "placed": {"$date": "2026-01-02T03:04:05Z"}} for number in (1, 2)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    inserted: list[Any] = []
    client: Any = SimpleNamespace(database={"orders": SimpleNamespace(insert_many=inserted.extend)})
    user_documents.load(client, [file])
    assert [each["_id"] for each in inserted] == [1, 2] and inserted[0]["placed"].year == 2026
    file.write_text('{"_id": 1}\n[2]\n')
    with pytest.raises(Problem, match=r"orders.jsonl: .* line 2: no document"):
        user_documents.load(client, [file])
    with pytest.raises(Problem, match=r"orders.js: no file"):
        user_documents.load(client, [tmp_path / "orders.js"])


def test_a_statement_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(Problem, match=r"did not finish within 0.1 s"):
        sql_of("sqlite").query(f"sqlite:///{tmp_path / 'a.db'}", endless, 0.1)
