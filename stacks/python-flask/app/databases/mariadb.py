"""MariaDB: PyMySQL is written in Python, and waits by the `socket` that gevent replaces."""

import os
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

import pymysql
from pymysql.cursors import DictCursor

from app.databases.database import Dialect

CONNECT_SECONDS = 10

DIALECT = Dialect(placeholder="%s", sleep=f"SELECT {os.environ.get('LONG_FUNCTION', 'SLEEP')}(%s)")


def connector(url: str) -> Callable[[], pymysql.Connection]:
    """A function that opens a connection."""
    parts = urlsplit(url)

    def connect() -> pymysql.Connection:
        return pymysql.connect(
            host=parts.hostname,
            port=parts.port or 3306,
            user=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            database=parts.path.removeprefix("/"),
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=CONNECT_SECONDS,
            cursorclass=DictCursor,
            ssl_disabled=True,  # PyMySQL would load all certificate authorities for each connection, to use none
        )

    return connect
