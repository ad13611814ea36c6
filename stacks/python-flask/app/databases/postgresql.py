"""PostgreSQL: psycopg prepares a statement that a connection has run five times. It waits by `select`, which gevent
replaces."""

import os
from collections.abc import Callable

import psycopg
from psycopg.rows import dict_row

from app.databases.database import Dialect, Row

CONNECT_SECONDS = 10

DIALECT = Dialect(placeholder="%s", sleep=f"SELECT {os.environ.get('LONG_FUNCTION', 'pg_sleep')}(%s)")


def connector(url: str) -> Callable[[], psycopg.Connection[Row]]:
    """A function that opens a connection."""

    def connect() -> psycopg.Connection[Row]:
        return psycopg.connect(
            url,
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            options="-c TimeZone=UTC",
            row_factory=dict_row,
        )

    return connect
