"""The job `query-batch`: long queries with short ones behind each, shared out over threads and their connections."""

import os
from contextlib import ExitStack
from queue import SimpleQueue
from typing import Any

from database import IS_POSTGRESQL, POOL, connect
from shared import in_threads, remaining


def main() -> None:
    """Share the queries out, and wait for the last one."""
    long_seconds = int(os.environ["LONG_MILLISECONDS"]) / 1000
    function = os.environ.get("LONG_FUNCTION", "pg_sleep" if IS_POSTGRESQL else "SLEEP")
    queries: SimpleQueue[tuple[str, list[float]]] = SimpleQueue()
    for _ in range(int(os.environ["LONG_QUERIES"])):
        queries.put((f"SELECT {function}(%s)", [long_seconds]))
        for _ in range(int(os.environ["SHORT_PER_LONG"])):
            queries.put(("SELECT 1", []))

    with ExitStack() as opened:
        connections: SimpleQueue[Any] = SimpleQueue()
        for _ in range(POOL):
            connections.put(opened.enter_context(connect()))

        def work() -> None:
            for statement, parameters in remaining(queries):
                connection = connections.get()
                try:
                    with connection.cursor() as cursor:
                        cursor.execute(statement, parameters)
                        cursor.fetchall()
                finally:
                    connections.put(connection)

        in_threads(int(os.environ.get("CONCURRENCY", POOL)), work)
