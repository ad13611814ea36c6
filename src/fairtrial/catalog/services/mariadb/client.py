"""The lab's access to MariaDB."""

import hashlib
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import unquote, urlsplit

import pymysql
from pymysql.constants import CLIENT
from pymysql.cursors import SSCursor

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.common.client import State
from fairtrial.catalog.services.common.lab_work import ChangeInCounters
from fairtrial.catalog.services.common.loading import reported_blocks
from fairtrial.catalog.services.common.sql import Redact, SqlClient
from fairtrial.catalog.services.mariadb import OLDEST, PORT, TITLE
from fairtrial.catalog.services.model import Counters, MaintenanceReading, RowsLoaded
from fairtrial.catalog.tables import WORK_FUNCTION, WORK_TABLE, ColumnKind, Table

TYPES: dict[ColumnKind, str] = {
    "key": "BIGINT NOT NULL PRIMARY KEY",
    "serial": "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
    "integer": "BIGINT NOT NULL",
    "text": "VARCHAR(1024) NOT NULL",
    "time": "DATETIME NOT NULL",
    "json": "JSON NOT NULL",
}
INDEXED_TEXT = "VARCHAR(255) NOT NULL"
"""An index over longer texts would exceed the 3,072 bytes that InnoDB allows for its columns."""

TABLE_OPTIONS = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
"""Texts are compared byte by byte, as the other databases do."""

SETTINGS = (
    "innodb_flush_log_at_trx_commit",
    "innodb_doublewrite",
    "innodb_flush_method",
    "innodb_buffer_pool_size",
    "innodb_log_file_size",
    "log_bin",
    "sync_binlog",
    "max_connections",
    "thread_handling",
    "tx_isolation",
    "userstat",
    "version",
)
CONNECT_WITHIN_SECONDS = 10
LONGEST_IDLE_SECONDS = 31_536_000
"""The largest `wait_timeout` that the server accepts: a year."""

SECONDS_OF_TIME = len("2012-01-01T00:00:00")

WRITES = ("insert", "insert_select", "update", "update_multi", "delete", "delete_multi", "replace", "replace_select")
WRITING_COMMITS = ("trx_commits_insert_update",)
"""Those that changed a row. `trx_rw_commits` has updates that change nothing, which nobody waits for the disk for."""

TRANSACTIONS = ("trx_nl_ro_commits", "trx_ro_commits", "trx_rw_commits")
COUNT_TRANSACTIONS = """
    SELECT sum(count) FROM information_schema.innodb_metrics WHERE name IN %s AND time_enabled > 0 HAVING count(*) > 0
"""
ROWS_CHANGED = "SELECT coalesce(sum(rows_changed), 0) FROM information_schema.table_statistics"
STATE = {
    "its tables": "SELECT table_schema, table_name, table_type, engine, create_time, create_options "
    "FROM information_schema.tables WHERE table_schema = database()",
    "its columns": "SELECT table_schema, table_name, column_name, column_type, column_default, extra "
    "FROM information_schema.columns WHERE table_schema = database()",
    "its indexes": "SELECT table_schema, table_name, index_name, seq_in_index, column_name "
    "FROM information_schema.statistics WHERE table_schema = database()",
    "its triggers": "SELECT * FROM information_schema.triggers",
    "its routines": "SELECT * FROM mysql.proc",
    "its events": "SELECT * FROM information_schema.events",
    "its users": "SELECT * FROM mysql.global_priv",
    "rights to databases": "SELECT * FROM mysql.db",
    "rights to tables": "SELECT * FROM mysql.tables_priv",
    "roles": "SELECT * FROM mysql.roles_mapping",
    "statistics of tables": "SELECT * FROM mysql.table_stats",
    "statistics of columns": "SELECT * FROM mysql.column_stats",
    "statistics of indexes": "SELECT * FROM mysql.index_stats",
    "its settings": "SHOW GLOBAL VARIABLES",
}
"""What outlives a session, and a query of it."""

ROWS_WRITTEN = ("handler_write", "handler_update", "handler_delete")
USER_STATISTICS = """
    SELECT select_commands, update_commands, other_commands, rows_read, rows_inserted + rows_updated + rows_deleted,
        1000 * busy_time
    FROM information_schema.user_statistics WHERE user = %s
"""
IN_TABLES = """
    SELECT named.table_name, coalesce(rows_read, 0), coalesce(rows_changed, 0)
    FROM information_schema.tables AS named LEFT JOIN information_schema.table_statistics AS counted
        ON counted.table_schema = named.table_schema AND counted.table_name = named.table_name
    WHERE named.table_schema = database()
"""
"""A table that nobody has touched has no statistics."""


CREATE_WORK_FUNCTION = f"""
    CREATE FUNCTION {WORK_FUNCTION}(seconds DOUBLE) RETURNS BIGINT READS SQL DATA
    BEGIN
        DECLARE to_work, to_sleep BIGINT;
        SELECT rounds, sleep_thousandths INTO to_work, to_sleep FROM {WORK_TABLE} WHERE id = 1;
        DO SLEEP(seconds * to_sleep / 1000);
        RETURN BENCHMARK(seconds * to_work, MD5(seconds));
    END
"""  # noqa: S608
"""It returns 0, as SLEEP does."""


class MariaClient(SqlClient):
    """A MariaDB database.

    Args:
        target: PyMySQL's connection parameters.
        counted_user: whose statements are counted, on a server with `userstat=ON`; None: those of all users.
        redact: strips messages of what must not be shown.
    """

    title = TITLE
    errors = (pymysql.Error, OSError)
    oldest = OLDEST
    # Such locks belong to the whole server, and their names have 64 characters at most.
    lock = "SELECT get_lock(concat('fairtrial-', md5(database())), 0)"
    never_idle = f"SET SESSION wait_timeout = {LONGEST_IDLE_SECONDS}"
    version_query = "SELECT version()"
    work_function = CREATE_WORK_FUNCTION
    settings_query = f"SHOW GLOBAL VARIABLES WHERE variable_name IN {SETTINGS!r}"

    def __init__(
        self,
        target: Mapping[str, Any],
        *,
        counted_user: str | None = None,
        redact: Redact = lambda message: message,
    ) -> None:
        super().__init__(counted_user, redact)
        self._target = dict(target)

    def _open(self, loading: bool) -> Any:
        return pymysql.connect(
            **self._target,
            autocommit=True,
            charset="utf8mb4",
            connect_timeout=CONNECT_WITHIN_SECONDS,
            # On such a connection a server may ask for any file, so no other connection allows it.
            local_infile=loading,
            # The global status counts a row as written that has the value already; the statistics of tables do not.
            client_flag=0 if self._counted_user else CLIENT.FOUND_ROWS,
        )

    def _server_version(self, connection: Any) -> tuple[int, ...] | None:
        # Up to MariaDB 10, 5.5.5- stands before its own number, for the sake of old replicas.
        number = re.match(r"(?:5\.5\.5-)?(\d+)\.(\d+)\S*mariadb", str(connection.get_server_info()), re.IGNORECASE)
        return (int(number[1]), int(number[2])) if number else None

    def column_type(self, kind: ColumnKind, indexed: bool) -> str:
        """The type for a kind; indexed texts are shorter."""
        return INDEXED_TEXT if kind == "text" and indexed else TYPES[kind]

    def create_statement(self, table: Table) -> str:
        """CREATE TABLE, in InnoDB and UTF-8 whatever the server's defaults are."""
        return f"{super().create_statement(table)} {TABLE_OPTIONS}"

    def _fill(self, connection: Any, table: Table, on_rows: RowsLoaded) -> None:
        times = [name for name, kind in table.columns.items() if kind == "time"]
        columns = [f"@{name}" if name in times else name for name in table.given_columns]
        # The offset, always Z, is cut off: DATETIME has none.
        moments = ", ".join(f"{name} = LEFT(@{name}, {SECONDS_OF_TIME})" for name in times)
        with connection.cursor() as cursor:
            cursor.execute(self.create_statement(table))
            # With both checks off, InnoDB fills an empty table in bulk.
            cursor.execute("SET unique_checks = 0, foreign_key_checks = 0")
            with table.rows.tsv() as stream, _piped(reported_blocks(table, stream, on_rows)) as path:
                cursor.execute(
                    f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE {table.name} CHARACTER SET utf8mb4 "
                    f"({', '.join(columns)}) {f'SET {moments}' if moments else ''}"
                )
            cursor.execute("SET unique_checks = 1, foreign_key_checks = 1")

    def _analyze(self, connection: Any, table: Table) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE TABLE {table.name}")

    @contextmanager
    def _stream(self, connection: Any, query: str) -> Iterator[Iterator[Sequence[Any]]]:
        with connection.cursor(SSCursor) as cursor:
            cursor.execute(query)
            yield iter(cursor)

    def counters(self) -> Counters:
        """The counted user's from `information_schema.user_statistics`, or all users' from the global status.

        `rows_read` counts the rows that statements looked at, also those passed over. The user's statistics are
        complete when a statement has ended; a prepared statement, by the binary protocol or by PREPARE, is counted at
        each execution. `statement_milliseconds` is `busy_time`: a statement that sleeps adds to it, whatever its text
        and however it was prepared. There are no `commits`: MariaDB also counts those of statements within a
        transaction, and of transactions that were rolled back. `writing_commits` and `table_transactions` are those of
        InnoDB, of all users; those that wrote and were rolled back are among them.
        """
        if self._counted_user is None:
            return self._counters_of_all()
        rows = self.query(USER_STATISTICS, [self._counted_user])
        reads, writes, others, rows_read, rows_written, milliseconds = map(int, rows[0]) if rows else (0,) * 6
        counted = {"writing_commits": WRITING_COMMITS, "table_transactions": TRANSACTIONS}
        transactions = {name: self.transactions(metrics) for name, metrics in counted.items()}
        return {
            **{name: count for name, count in transactions.items() if count is not None},
            "statements": reads + writes + others,
            "reads": reads,
            "writes": writes,
            "rows_read": rows_read,
            "rows_written": rows_written,
            "statement_milliseconds": milliseconds,
            **self._in_tables(),
        }

    def transactions(self, metrics: Sequence[str]) -> int | None:
        """The sum of these metrics of InnoDB; None where none is enabled."""
        rows = self.query(COUNT_TRANSACTIONS, [metrics])
        return int(rows[0][0]) if rows else None

    def _in_tables(self) -> dict[str, int]:
        """By table, on a server with `userstat=ON`; of all users. Rolled-back rows are among those written."""
        counted = self.query(IN_TABLES)
        return {
            **{f"rows_read.{name}": int(read_count) for name, read_count, _ in counted},
            **{f"rows_written.{name}": int(write_count) for name, _, write_count in counted},
        }

    def _counters_of_all(self) -> Counters:
        status = self._status()
        return {
            "statements": status["questions"],
            "reads": status["com_select"],
            "writes": sum(status[f"com_{name}"] for name in WRITES),
            "rows_read": status["rows_read"],
            "rows_written": sum(status[name] for name in ROWS_WRITTEN),
        }

    def change_in_counters(self, table: Table) -> ChangeInCounters:
        """As `SqlClient` has it; the global status counts the row that is looked up as read."""
        change = super().change_in_counters(table)
        return change if self._counted_user else ChangeInCounters({**change.statement, "rows_read": 1}, change.row)

    def maintenance(self) -> MaintenanceReading:
        """Pages that InnoDB flushed, and how often somebody had to wait for a page that was free."""
        status = self._status()
        names = {"pages": "innodb_buffer_pool_pages_flushed", "waits_for_pages": "innodb_buffer_pool_wait_free"}
        return MaintenanceReading(
            {name: status[counter] for name, counter in names.items() if counter in status}, frozenset()
        )

    def _status(self) -> dict[str, int]:
        rows = self.query("SHOW GLOBAL STATUS")
        return {str(name).lower(): int(value) for name, value in rows if str(value).isdigit()}

    def rows_written(self) -> int:
        """By whomever and by whatever statement, a procedure among them."""
        if self._counted_user is None:
            return self._counters_of_all()["rows_written"] - self._changed_by_lab
        return int(self.query(ROWS_CHANGED)[0][0]) - self._changed_by_lab

    def state(self) -> State:
        """Tables with their columns, indexes and engines, triggers, routines, events, users with their passwords and
        rights, the statistics that ANALYZE TABLE keeps, and the global settings; as far as the login may see them."""
        with self.connection() as connection, connection.cursor() as cursor:
            return {name: self._digest(cursor, query) for name, query in STATE.items()}

    @staticmethod
    def _digest(cursor: Any, query: str) -> str:
        """A digest of a query's whole answer; of the refusal, where the login may not ask that."""
        try:
            cursor.execute(query)
            rows = sorted(map(repr, cursor.fetchall()))
        except pymysql.Error as error:
            rows = [type(error).__name__]
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()

    def relations(self) -> list[str]:
        """Tables and views of the database."""
        return sorted(str(name) for (name,) in self.query("SHOW TABLES"))

    def cut_others(self, connection: Any) -> None:
        """End the connections of this user to the database."""
        with self._driver_errors(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT id FROM information_schema.processlist WHERE id <> connection_id() AND db = database() "
                "AND user = substring_index(current_user(), '@', 1)"
            )
            for (other,) in cursor.fetchall():
                with suppress(pymysql.Error):  # it ended meanwhile
                    cursor.execute(f"KILL {other:d}")


def client_at(url: str, redact: Redact) -> MariaClient:
    """The client for a database by its URL.

    Raises:
        ValueError: the URL cannot be read.
    """
    return MariaClient(target_at(url), redact=redact)


def target_at(url: str) -> dict[str, Any]:
    """PyMySQL's connection parameters for a database by its URL.

    Raises:
        ValueError: the URL cannot be read.
    """
    parts = urlsplit(url)
    return {
        "host": parts.hostname or LOOPBACK,
        "port": parts.port or PORT,
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "database": unquote(parts.path.lstrip("/")),
    }


@contextmanager
def _piped(blocks: Iterator[bytes]) -> Iterator[str]:
    """A path from which the blocks can be read, once, while they are made."""
    reading, writing = os.pipe()
    faults: list[BaseException] = []

    def pump() -> None:
        try:
            with os.fdopen(writing, "wb") as pipe:
                for block in blocks:
                    pipe.write(block)
        except BrokenPipeError:
            pass  # the reader gave up, and its own error says why
        except BaseException as fault:
            faults.append(fault)

    pumping = threading.Thread(target=pump, daemon=True)
    pumping.start()
    try:
        yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)
        pumping.join()
    if faults:
        raise faults[0]
