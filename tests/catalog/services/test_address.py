"""Private databases at the port and with the login that programs have in their source."""

import tomllib
from collections.abc import Sequence
from math import floor, log
from pathlib import Path
from typing import Any

import psycopg
import pytest

from fairtrial.base.locations import shipped
from fairtrial.base.loopback import free_port
from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.mariadb.client import target_at
from fairtrial.catalog.services.model import ServiceStart
from fairtrial.experiment.service_address import ServiceAddress
from fairtrial.plan.validate import assert_address
from tests.catalog.services.stacks_side import execute
from tests.machine.needs import needs

PASSWORD = 'it\'s%2F \\ "odd"@/'
SCHEMA = "CREATE TABLE numbers (number INTEGER);\nINSERT INTO numbers VALUES (7);\n"


def address(port: int, **changed: Any) -> ServiceAddress:
    given = {"port": port, "user": "Bench-User", "password": PASSWORD, "database": "postgres"}
    return ServiceAddress.model_validate(given | changed)


def up(name: str, where: ServiceAddress, files: Sequence[Path] = ()) -> Any:
    return pick_service(name).start(ServiceStart(files=files, address=where))


@needs("postgresql")
def test_a_login_that_stands_in_a_program_gets_in(temporary: Path, tmp_path: Path) -> None:
    file, port = tmp_path / "numbers.sql", free_port()
    file.write_text(SCHEMA)
    with up("postgresql", address(port), [file]) as running:
        login = {"host": "127.0.0.1", "port": port, "user": "Bench-User", "dbname": "postgres"}
        with psycopg.connect(**login, password=PASSWORD) as connection:  # type: ignore[arg-type]
            assert connection.execute("SELECT number FROM numbers").fetchall() == [(7,)]
        for wrong in ({"password": "it"}, {"user": "lab"}, {"dbname": "template1"}):
            with pytest.raises(psycopg.OperationalError):
                psycopg.connect(**{**login, "password": PASSWORD, **wrong})
        before = running.counters()["statements"]
        execute(running.url, "UPDATE numbers SET number = 8")
        assert running.counters()["statements"] == before + 1
        assert running.altered()

        with pytest.raises(Problem, match=f"listen on port {port}, which postgres"):
            up("postgresql", address(port), [file]).__enter__()

        running.reset()
        with psycopg.connect(running.url) as connection:
            assert connection.execute("SELECT number FROM numbers").fetchall() == [(7,)]


@needs("mariadb")
def test_mariadb_lets_such_a_login_in_as_well(temporary: Path, tmp_path: Path) -> None:
    import pymysql

    file, port = tmp_path / "numbers.sql", free_port()
    file.write_text(SCHEMA)
    with up("mariadb", address(port, database="hello_world"), [file]) as running:
        given = {"host": "127.0.0.1", "port": port, "user": "Bench-User", "database": "hello_world"}
        assert target_at(running.url) == {**given, "password": PASSWORD}
        with pymysql.connect(**given, password=PASSWORD) as connection, connection.cursor() as cursor:  # type: ignore[call-overload]
            cursor.execute("SELECT number FROM numbers")
            assert cursor.fetchall() == ((7,),)
        assert running.counters()["reads"] == 1


@pytest.mark.parametrize(
    ("name", "capitals"),
    [
        pytest.param("postgresql", '"World"', marks=needs("postgresql")),
        pytest.param("mariadb", "World", marks=needs("mariadb")),
    ],
)
def test_rows_and_audits_of_techempowers_entries_are_the_same_on_each(
    name: str, capitals: str, temporary: Path
) -> None:
    folder = shipped("examples") / "public-entries"
    workload = tomllib.loads((folder / "techempower-updates.workload.toml").read_text())
    audits = {audit: each["sql"] for audit, each in workload["audit"].items()}
    sql = pick_service(name).sql
    assert sql is not None
    with up(name, address(free_port(), database="hello_world"), [folder / workload["data"][name]]) as running:

        def asked(statement: str) -> float:
            ((value,),) = sql.query(running.url, statement, 30)
            return float(value)

        assert asked("SELECT randomNumber FROM world WHERE id = 7919") == (7 + 3) % 10 * 1000 + 7919 * 7919 % 1000 + 1
        assert [asked(each) for each in audits.values()] == [0, 0]
        sql.execute(running.url, f"UPDATE {capitals} SET randomNumber = 10001 - randomNumber WHERE id <= 2000", 30)
        assert asked(audits["updates-were-kept"]) == floor(10_000 * log(10 / 8) * 1.1 / 20)
        sql.execute(running.url, f"UPDATE {capitals} SET randomNumber = 0 WHERE id <= 3", 30)
        assert asked(audits["rows-out-of-bounds"]) == 3


@pytest.mark.parametrize(("name", "own"), [("postgresql", "lab"), ("mariadb", "root")])
def test_a_user_of_the_labs_own_is_refused_before_anything_starts(name: str, own: str, snapshot: object) -> None:
    assert_address(pick_service(name), address(5432, user="postgres"))
    with pytest.raises(Problem) as error:
        assert_address(pick_service(name), address(5432, user=own))
    assert str(error.value) == snapshot


def test_a_service_without_logins_is_refused(snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        assert_address(pick_service("redis"), address(6379))
    assert str(error.value) == snapshot
