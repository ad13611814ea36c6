"""Services loaded from files of a user's own, and asked in SQL."""

import json
from pathlib import Path
from typing import Any

import psycopg
import pymongo
import pytest
import redis

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import SqlAccess
from tests.catalog.services.needed import needs

SCHEMA = """CREATE TABLE orders (id INTEGER PRIMARY KEY, item VARCHAR(20) NOT NULL);
INSERT INTO orders VALUES (1, 'tea'), (2, 'r%ce');
"""
COUNT = "SELECT count(*) FROM orders WHERE item LIKE '%e%'"
SQL = [pytest.param(name, marks=needs(name)) for name in ("sqlite", "postgresql", "mariadb")]


def sql_of(name: str) -> SqlAccess:
    sql = pick_service(name).sql
    assert sql is not None
    return sql


def up_with(name: str, *files: Path) -> Any:
    up = pick_service(name).up_with
    assert up is not None
    return up(files, "default")


@pytest.mark.parametrize("name", SQL)
def test_a_database_holds_what_sql_files_say_and_so_again_after_a_reset(
    name: str, temporary: Path, tmp_path: Path
) -> None:
    (tmp_path / "1.sql").write_text(SCHEMA)
    (tmp_path / "2.sql").write_text("INSERT INTO orders VALUES (3, 'cocoa');\n")
    sql = sql_of(name)
    with up_with(name, tmp_path / "1.sql", tmp_path / "2.sql") as up:
        assert [tuple(row) for row in sql.query(up.url, COUNT, 5)] == [(2,)]
        assert len(sql.query(up.url, "SELECT * FROM orders", 5)) == 2, "of more, two are enough to tell"
        sql.execute(up.url, "DELETE FROM orders WHERE id < 3; UPDATE orders SET item = 'eel'", 5)
        assert [tuple(row) for row in sql.query(up.url, COUNT, 5)] == [(1,)]
        with pytest.raises(Problem, match="refused: .*nothing_there") as refused:
            sql.execute(up.url, "DELETE FROM nothing_there", 5)
        assert up.url not in refused.value.reason
        if name == "sqlite":
            up.reset()
            assert [tuple(row) for row in sql.query(up.url, COUNT, 5)] == [(2,)]


@needs("postgresql")
def test_a_dump_of_postgresql_is_loaded_and_what_is_wrong_in_a_file_is_quoted(temporary: Path, tmp_path: Path) -> None:
    dump = tmp_path / "dump.sql"
    dump.write_text("CREATE TABLE public.orders (id bigint);\nCOPY public.orders (id) FROM stdin;\n7\n8\n\\.\n")
    with up_with("postgresql", dump) as up, psycopg.connect(up.url) as connection:
        assert connection.execute("SELECT sum(id) FROM orders").fetchone() == (15,)
        connection.execute("ALTER TABLE orders ADD item text")  # whose they are
    dump.write_text("CREATE TABEL orders (id bigint);\n")
    with pytest.raises(Problem, match=r'dump.sql: PostgreSQL refused it: .*syntax error at or near "TABEL"'):
        up_with("postgresql", dump).__enter__()


def test_what_is_wrong_in_a_file_for_sqlite_is_quoted(temporary: Path, tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("CREATE TABLE a (id);\nINSERT INTO b VALUES (1);\n")
    with pytest.raises(Problem, match="a.sql: SQLite refused it: no such table: b"):
        up_with("sqlite", tmp_path / "a.sql").__enter__()


@needs("redis")
def test_redis_holds_what_commands_say(temporary: Path, tmp_path: Path) -> None:
    file = tmp_path / "keys.redis"
    file.write_text('# two kinds\nSET greeting "hello there"\n\nHSET order:1 item tea quantity 2\n')
    with up_with("redis", file) as up, redis.Redis.from_url(up.url, decode_responses=True) as client:
        assert client.get("greeting") == "hello there" and client.hgetall("order:1") == {"item": "tea", "quantity": "2"}
    file.write_text("SET a 1\nINCRR a\n")
    with pytest.raises(Problem, match="keys.redis: Redis refused it: line 2: "):
        up_with("redis", file).__enter__()


@needs("mongodb")
def test_mongodb_holds_the_documents_of_a_file_in_the_collection_of_its_name(temporary: Path, tmp_path: Path) -> None:
    file = tmp_path / "orders.jsonl"
    placed = {"$date": "2026-01-02T03:04:05Z"}
    lines = [{"_id": number, "item": "tea", "placed": placed} for number in (1, 2)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    client: pymongo.MongoClient[dict[str, Any]]
    with up_with("mongodb", file) as up, pymongo.MongoClient(up.url) as client:
        orders = client.get_default_database()["orders"]
        assert orders.count_documents({}) == 2
        assert orders.find_one({"_id": 1}, {"placed": 1})["placed"].year == 2026  # type: ignore[index]


@pytest.mark.parametrize("name", SQL[:1])
def test_a_statement_that_takes_too_long_is_ended(name: str, temporary: Path, tmp_path: Path) -> None:
    (tmp_path / "1.sql").write_text(SCHEMA)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT max(i) FROM n"
    with up_with(name, tmp_path / "1.sql") as up, pytest.raises(Problem, match="did not finish within 0.1 s"):
        sql_of(name).query(up.url, endless, 0.1)
