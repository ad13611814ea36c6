"""Connections to PostgreSQL or MariaDB."""

import os
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
import pymysql

URL = urlsplit(os.environ["DATABASE_URL"])
IS_POSTGRESQL = URL.scheme == "postgresql"
POOL = int(os.environ.get("DB_POOL", "16"))


def connect() -> Any:
    """A connection in which every statement is a transaction of its own, unless one is begun."""
    if IS_POSTGRESQL:
        return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    return pymysql.connect(
        host=URL.hostname,
        port=URL.port or 3306,
        user=unquote(URL.username or ""),
        password=unquote(URL.password or ""),
        database=URL.path.removeprefix("/"),
        autocommit=True,
        ssl_disabled=True,  # PyMySQL would load all certificate authorities for each connection, to use none
    )
