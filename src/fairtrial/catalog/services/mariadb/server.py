"""MariaDB's own programs: how a private server is initialised, started and opened to stacks."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pymysql

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.common.installed import Programs, assert_installed
from fairtrial.catalog.services.common.private import DATA, KeptData, Location, ServerProgram, Variant, arguments_of
from fairtrial.catalog.services.common.sql import MOST_CONNECTIONS, PASSWORD_BYTES, USER
from fairtrial.catalog.services.mariadb.client import TITLE, MariaClient
from fairtrial.catalog.services.mariadb.own_sql import load
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.tables import Table

NAME = "mariadb"
SUPERUSER = "root"
SOCKET = "server.sock"
PID_FILE = "server.pid"
SERVER, INITIALISE = "mariadbd|mysqld", "mariadb-install-db|mysql_install_db"
LAYOUT = 1
"""Raise it when the way in which data are made changes: kept data are made again."""

PROGRAMS = Programs(
    title=TITLE,
    names=(SERVER, INITIALISE),
    usual_folders=("/usr/sbin", "/usr/libexec", "/usr/bin", "/usr/local/mysql/bin"),
    packages=("mariadb-server",),
    oldest=MariaClient.oldest,
)
VARIANTS = {
    "relaxed": Variant(
        "innodb_flush_log_at_trx_commit=2: a commit is answered when the log is written but not yet on the disk, "
        "and the last second is lost when the machine crashes",
        ("--innodb-flush-log-at-trx-commit=2",),
    )
}
WHILE_LOADING = (
    *("--local-infile=1", "--innodb-buffer-pool-size=512M"),
    # no waiting for the disk
    *("--innodb-flush-log-at-trx-commit=0", "--skip-innodb-doublewrite"),
)
USER_STATISTICS = "--userstat=1"


def program(_tables: Sequence[Table], variant: str) -> ServerProgram:
    """A private MariaDB: its own defaults, with statistics by user.

    Raises:
        Problem: it is not installed, or there is no such variant.
    """
    assert_installed(PROGRAMS.missing())
    arguments = arguments_of(TITLE, VARIANTS, variant)
    version, password = PROGRAMS.version(), secrets.token_urlsafe(PASSWORD_BYTES)

    def admit_stacks(location: Location) -> None:
        # By the method that every driver knows; the password consists of letters, digits, `-` and `_`.
        method = "mysql_native_password"
        MariaClient(_target(location, None)).execute(
            f"ALTER USER '{USER}'@'{LOOPBACK}' IDENTIFIED VIA {method} USING PASSWORD('{password}') ACCOUNT UNLOCK"
        )

    return ServerProgram(
        name=NAME,
        title=TITLE,
        product=version or TITLE,
        kept=KeptData(
            key=(NAME, version, LAYOUT),
            command=lambda location: _command(location, WHILE_LOADING),
            fill=_fill,
            initialise=_initialise,
            run=_run,
        ),
        command=lambda location: _command(location, [USER_STATISTICS, *arguments]),
        is_ready=_is_ready,
        client=_client,
        admit_stacks=admit_stacks,
        url=lambda port: f"mysql://{USER}:{password}@{LOOPBACK}:{port}/{USER}",
        leftovers=(PID_FILE, SOCKET),
        end_signal=SIGKILL,
    )


def _initialise(folder: Path) -> None:
    options = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
    PROGRAMS.run(folder, [PROGRAMS.path(INITIALISE), "--no-defaults", f"--datadir={folder / DATA}", *options])


def _command(location: Location, further: Sequence[str]) -> list[str]:
    """On loopback and a socket in the data, with room for all pools."""
    data = location.data
    return [
        *(PROGRAMS.path(SERVER), "--no-defaults"),  # which has to come first
        *(f"--datadir={data}", f"--tmpdir={data}", f"--socket={data / SOCKET}", f"--pid-file={data / PID_FILE}"),
        *(f"--port={location.port}", f"--bind-address={LOOPBACK}", "--skip-name-resolve"),
        *(f"--max-connections={MOST_CONNECTIONS}", "--skip-log-bin", "--character-set-server=utf8mb4"),
        *further,
    ]


def _is_ready(location: Location) -> bool:
    """Whether the socket takes a connection: it is there when all else is."""
    try:
        pymysql.connect(**_target(location, None), connect_timeout=2).close()
    except pymysql.Error:
        return False
    return True


def _client(location: Location) -> MariaClient:
    """As root, by the socket. Only the statements of the stacks' user are counted."""
    return MariaClient(_target(location, USER), counted_user=USER)


def _target(location: Location, database: str | None) -> dict[str, Any]:
    return {"unix_socket": str(location.data / SOCKET), "user": SUPERUSER, "database": database}


def _fill(location: Location, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
    """A user that owns one database and logs in by loopback, and the tables; all users but the lab's are removed."""
    own = MariaClient(_target(location, None))
    known = f"('{SUPERUSER}@localhost', 'mariadb.sys@localhost')"
    others = own.query(f"SELECT user, host FROM mysql.global_priv WHERE concat(user, '@', host) NOT IN {known}")  # noqa: S608
    own.execute(
        *(f"DROP USER '{user}'@'{host}'" for user, host in others),
        f"CREATE DATABASE {USER} CHARACTER SET utf8mb4",
        f"CREATE USER '{USER}'@'{LOOPBACK}' ACCOUNT LOCK",
        f"GRANT ALL PRIVILEGES ON {USER}.* TO '{USER}'@'{LOOPBACK}'",
    )
    _client(location).load(tables, on_rows)


def _run(location: Location, files: Sequence[Path]) -> None:
    """Files of a user's own, into the stacks' database."""
    load(PROGRAMS.path_of("mariadb|mysql"), location.data / SOCKET, SUPERUSER, USER, files)
