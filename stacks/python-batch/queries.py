"""The job `query-batch`: long queries with short ones behind each, shared out over as many threads as connections."""

import os
from queue import SimpleQueue

from database import IS_POSTGRESQL, POOL, connect
from shared import in_threads, remaining


def main() -> None:
    """Share the queries out, and wait for the last one."""
    long_seconds = int(os.environ["LONG_MILLISECONDS"]) / 1000
    sleep = "SELECT pg_sleep(%s)" if IS_POSTGRESQL else "SELECT SLEEP(%s)"
    queries: SimpleQueue[tuple[str, list[float]]] = SimpleQueue()
    for _ in range(int(os.environ["LONG_QUERIES"])):
        queries.put((sleep, [long_seconds]))
        for _ in range(int(os.environ["SHORT_PER_LONG"])):
            queries.put(("SELECT 1", []))

    def work() -> None:
        with connect() as connection, connection.cursor() as cursor:
            for statement, parameters in remaining(queries):
                cursor.execute(statement, parameters)
                cursor.fetchall()

    in_threads(POOL, work)
