"""A SQL database as a stack sees it: by its URL, through a driver."""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
import pymysql

from fairtrial.catalog.tables import Table
from fairtrial.catalog.workloads import survey_insert, transaction_mix
from fairtrial.catalog.workloads.random_item import items
from fairtrial.experiment.model import DatasetOptions

ROWS = 3000
PREPARE, EXECUTE = 0x16, 0x17
"""Commands of MariaDB's protocol."""


def tables(rows: int = ROWS, seed: int = 1) -> list[Table]:
    """One table of each kind: rows given with keys and times, none, and with keys that the database assigns."""
    options = DatasetOptions(rows=rows, seed=seed, gaps=0.2)
    surveys = survey_insert.data(options, survey_insert.Options(index=True)).tables
    return [*items(options, rows).tables, *surveys, *transaction_mix.data(options, transaction_mix.Options()).tables]


def connect(url: str) -> Any:
    """A connection in autocommit mode."""
    parts = urlsplit(url)
    if parts.scheme == "postgresql":
        return psycopg.connect(url, autocommit=True, connect_timeout=20)
    return pymysql.connect(
        host=parts.hostname,
        port=parts.port or 0,
        user=parts.username,
        password=unquote(parts.password or ""),
        database=parts.path[1:],
        autocommit=True,
        charset="utf8mb4",
        connect_timeout=20,
        ssl_disabled=True,  # what it reads for TLS takes 20 ms
    )


@contextmanager
def cursor(url: str) -> Iterator[Any]:
    """A cursor, and its connection closed at the end."""
    connection = connect(url)
    try:
        with connection.cursor() as opened:
            yield opened
    finally:
        connection.close()


def execute(url: str, statement: str, times: int = 1) -> Any:
    """A statement run on one connection; its last result's first row, if it has rows."""
    with cursor(url) as opened:
        for _ in range(times):
            opened.execute(statement)
        return opened.fetchone() if opened.description else None


def execute_prepared(url: str, statement: str, times: int) -> None:
    """A statement without parameters, prepared in the server and run by the protocol's own means."""
    connection = connect(url)
    try:
        if isinstance(connection, pymysql.Connection):
            _execute_binary(connection, statement, times)
        else:
            for _ in range(times):
                connection.execute(statement, prepare=True)
    finally:
        connection.close()


def _execute_binary(connection: Any, statement: str, times: int) -> None:
    connection._execute_command(PREPARE, statement)
    first = connection._read_packet().get_all_data()
    number, columns, parameters = struct.unpack("<IHH", first[1:9])
    assert parameters == 0
    if columns:
        _read_to_end(connection)
    for _ in range(times):
        connection._execute_command(EXECUTE, struct.pack("<IBI", number, 0, 1))
        if not connection._read_packet().is_ok_packet():
            _read_to_end(connection)  # the columns
            _read_to_end(connection)  # the rows


def _read_to_end(connection: Any) -> None:
    while not connection._read_packet().is_eof_packet():
        pass
