"""PostgreSQL's account of its commits: settings in force, what relaxes them, and how often its log was flushed."""

import re

from fairtrial.base.printable import printable
from fairtrial.catalog.services.model import DurabilityReading
from fairtrial.catalog.services.postgresql.client import PostgresClient

PROMISES = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    # Without a standby these wait for the own disk alike.
    "synchronous_commit": ("on", "local", "remote_write", "remote_apply"),
}
"""Settings, with the values at which a commit is on the disk when it is answered (PostgreSQL, "Write Ahead Log")."""

SETTINGS = f"SELECT name, current_setting(name) FROM pg_settings WHERE name IN {tuple(PROMISES)!r}"  # noqa: S608
ROLE_AND_DATABASE_SETTINGS = """
    SELECT coalesce('role ' || r.rolname, 'database ' || d.datname, 'all'), unnest(s.setconfig)
    FROM pg_db_role_setting s
    LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase
"""
UNLOGGED = "SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind IN ('r', 'p') ORDER BY relname"
SYNCHRONOUS_COMMIT_STATEMENTS = "SELECT query FROM pg_stat_statements WHERE query ILIKE '%%synchronous_commit%%'"
HAS_STATEMENTS = "SELECT count(*) FROM pg_extension WHERE extname = 'pg_stat_statements'"
TURNS_OFF = re.compile(
    r"\bset\s+(?:session\s+|local\s+)?synchronous_commit\s*(?:=|\bto\b)\s*'?(?:off|false|no|0)\b", re.IGNORECASE
)
COMMITS = """
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
           (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())
"""
SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE usename = %s"
VERSION = "SELECT current_setting('server_version_num')::int, current_setting('wal_sync_method')"
FLUSHES = "SELECT wal_sync FROM pg_stat_wal"
FLUSHES_FROM_18 = "SELECT sum(fsyncs)::bigint FROM pg_stat_io WHERE object = 'wal'"
WAL_COUNTED_FROM, WAL_IN_IO_FROM = 140_000, 180_000
EXCERPT_CHARACTERS = 120


def durability(client: PostgresClient, statistics: PostgresClient) -> DurabilityReading:
    """Read it all, as superuser.

    A transaction that writes takes a number, and so does each savepoint in it; one that is rolled back is no commit. So
    the smaller is taken of the numbers and of the commits, those of transactions that only read among them.

    Args:
        client: in the stacks' database.
        statistics: in the database with `pg_stat_statements`, if there is one.

    Raises:
        Problem: the database cannot be asked.
    """
    settings = {str(name): str(value) for name, value in client.query(SETTINGS)}
    relaxed = {
        f"{owner}: {printable(str(setting), EXCERPT_CHARACTERS)}"
        for owner, setting in client.query(ROLE_AND_DATABASE_SETTINGS)
        if _relaxes(str(setting))
    }
    relaxed |= {f"table {printable(str(name), EXCERPT_CHARACTERS)} is unlogged" for (name,) in client.query(UNLOGGED)}
    if statistics.query(HAS_STATEMENTS)[0][0]:
        relaxed |= {
            f"a session: {printable(str(query), EXCERPT_CHARACTERS)}"
            for (query,) in statistics.query(SYNCHRONOUS_COMMIT_STATEMENTS)
            if TURNS_OFF.search(str(query))
        }
    ((numbers, commits),) = client.query(COMMITS)
    return DurabilityReading(
        settings=settings,
        promised=all(settings.get(name, values[0]) in values for name, values in PROMISES.items()),
        relaxed=frozenset(relaxed),
        writing=(int(numbers), int(commits)),
        flushes=_flushes(client),
    )


def sessions(client: PostgresClient, user: str) -> int:
    """How many sessions of this user are open: what one did is counted at the latest when it has ended."""
    return int(client.query(SESSIONS, [user])[0][0])


def _relaxes(setting: str) -> bool:
    name, _, value = setting.partition("=")
    return name in PROMISES and value.lower() not in PROMISES[name]


def _flushes(client: PostgresClient) -> int | None:
    ((version, method),) = client.query(VERSION)
    # With O_SYNC or O_DSYNC each write is a flush, and is not counted as one.
    if version < WAL_COUNTED_FROM or str(method).startswith("open_"):
        return None
    return int(client.query(FLUSHES_FROM_18 if version >= WAL_IN_IO_FROM else FLUSHES)[0][0] or 0)
