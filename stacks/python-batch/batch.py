"""The job `query-batch`: long queries with short ones behind each, shared out over as many threads as connections."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
import pymysql

URL = urlsplit(os.environ["DATABASE_URL"])
LONG_QUERIES = int(os.environ["LONG_QUERIES"])
SHORT_PER_LONG = int(os.environ["SHORT_PER_LONG"])
LONG_SECONDS = int(os.environ["LONG_MILLISECONDS"]) / 1000
CONNECTIONS = int(os.environ["DB_POOL"])


def connect() -> Any:
    """A connection in which every statement is a transaction of its own."""
    if URL.scheme == "postgresql":
        return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    return pymysql.connect(
        host=URL.hostname,
        port=URL.port or 3306,
        user=unquote(URL.username or ""),
        password=unquote(URL.password or ""),
        database=URL.path.removeprefix("/"),
        autocommit=True,
    )


def work(queries: "SimpleQueue[tuple[str, list[float]]]") -> None:
    """Run queries until there are none left."""
    with connect() as connection, connection.cursor() as cursor:
        while True:
            try:
                statement, parameters = queries.get_nowait()
            except Empty:
                return
            cursor.execute(statement, parameters)
            cursor.fetchall()


def main() -> None:
    """Share the job out, and wait for the last one."""
    sleep = "SELECT pg_sleep(%s)" if URL.scheme == "postgresql" else "SELECT SLEEP(%s)"
    queries: SimpleQueue[tuple[str, list[float]]] = SimpleQueue()
    for _ in range(LONG_QUERIES):
        queries.put((sleep, [LONG_SECONDS]))
        for _ in range(SHORT_PER_LONG):
            queries.put(("SELECT 1", []))
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        for done in [threads.submit(work, queries) for _ in range(CONNECTIONS)]:
            done.result()


if os.environ["JOB"] != "query-batch":
    sys.exit(f"there is no job {os.environ['JOB']!r}; there is query-batch")
main()
