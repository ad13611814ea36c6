"""Commits in PostgreSQL's write-ahead log, by `pg_waldump`.

A transaction takes a number, and is counted by it, also when it is rolled back, when it asks for its number alone, when
it notifies somebody, and once more for each savepoint. None of that waits for the disk. So the log is asked which
transactions wrote a row and were committed.
"""

import re
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from threading import Timer

from fairtrial.catalog.services.common.folder import unprivileged
from fairtrial.catalog.services.postgresql.client import PostgresClient

FOLDER = "pg_wal"
END = "SELECT pg_current_wal_insert_lsn()::text"
IS_WRITTEN = "SELECT pg_current_wal_flush_lsn() >= %s::pg_lsn"
WRITTEN_WITHIN_SECONDS, ASK_EVERY_SECONDS = 3.0, 0.02
"""PostgreSQL writes a relaxed commit within three times `wal_writer_delay`, which is 0.2 s."""

READ_WITHIN_SECONDS = 60.0
RECORD = re.compile(r"rmgr: (Heap|Heap2|Transaction) .*?\btx: +(\d+), .*?\bdesc: (\w+)")
SAVEPOINTS = re.compile(r"; subxacts: ([\d ]+)")


def end(client: PostgresClient) -> str:
    """Where the log ends now. Raises Problem: the database cannot be asked."""
    return str(client.query(END)[0][0])


def commits_between(client: PostgresClient, data: Path, program: str | None, since: str, until: str) -> int | None:
    """How many transactions that wrote a row were committed between two ends of the log.

    Args:
        data: of the server.
        program: the path of `pg_waldump`; None: it is not installed.

    Returns None where the log cannot be read, or was reused meanwhile.

    Raises:
        Problem: the database cannot be asked.
    """
    if since == until:
        return 0
    if program is None or not _is_written(client, until):
        return None
    command = unprivileged([program, "--path", str(data / FOLDER), "--start", since, "--end", until])
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd="/"
        )
    except OSError:
        return None
    timer = Timer(READ_WITHIN_SECONDS, process.kill)
    timer.start()
    try:
        with process:
            assert process.stdout is not None
            commits = writing_commits(process.stdout)
    finally:
        timer.cancel()
    return commits if process.returncode == 0 else None


def writing_commits(lines: Iterable[str]) -> int:
    """How many commits there are among these lines of `pg_waldump` of transactions that wrote a row before, themselves
    or within a savepoint."""
    writing: set[str] = set()
    commits = 0
    for line in lines:
        record = RECORD.match(line)
        if record is None:
            continue
        manager, number, action = record.groups()
        if manager != "Transaction":
            writing.add(number)
        elif action == "COMMIT":
            savepoints = SAVEPOINTS.search(line)
            numbers = {number, *(savepoints[1].split() if savepoints else ())}
            commits += not writing.isdisjoint(numbers)
            writing -= numbers
    return commits


def _is_written(client: PostgresClient, until: str) -> bool:
    """Whether the log is in its files up to there, for which it is waited."""
    deadline = time.monotonic() + WRITTEN_WITHIN_SECONDS
    while not client.query(IS_WRITTEN, [until])[0][0]:
        if time.monotonic() > deadline:
            return False
        time.sleep(ASK_EVERY_SECONDS)
    return True
