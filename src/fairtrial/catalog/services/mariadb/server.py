"""MariaDB's own programs: how a private server is initialised, started and opened to stacks."""

import secrets
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pymysql
from pymysql.converters import escape_string

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.common.installed import assert_installed
from fairtrial.catalog.services.common.login import LAB_LOGIN, Login, login_of
from fairtrial.catalog.services.common.server_program import (
    DATA,
    CommitLog,
    DataRecipe,
    Durable,
    Location,
    ServerProgram,
    arguments_of,
)
from fairtrial.catalog.services.common.sql import OF_ROWS, PASSWORD_BYTES
from fairtrial.catalog.services.mariadb import (
    INITIALISE,
    NAME,
    PROGRAMS,
    SERVER,
    SUPERUSER,
    TITLE,
    VARIANTS,
    commit_log,
)
from fairtrial.catalog.services.mariadb.client import MariaClient
from fairtrial.catalog.services.mariadb.durability import (
    count_commits,
    durability,
    sessions,
)
from fairtrial.catalog.services.mariadb.user_sql import load
from fairtrial.catalog.services.model import RowsLoaded, ServiceStart
from fairtrial.catalog.tables import WORK_FUNCTION, WORK_TABLE, Table

SOCKET = "server.sock"
PID_FILE = "server.pid"
LAYOUT = 2
"""Raise it when the way in which data are made changes: kept data are made again."""

WHILE_LOADING = (
    *("--local-infile=1", "--innodb-buffer-pool-size=512M"),
    # no waiting for the disk
    *("--innodb-flush-log-at-trx-commit=0", "--skip-innodb-doublewrite"),
)
USER_STATISTICS = "--userstat=1"


def program(start: ServiceStart) -> ServerProgram:
    """A private MariaDB: its own defaults, with statistics by user.

    Raises:
        Problem: it is not installed, there is no such variant, or the login is the lab's own.
    """
    assert_installed(PROGRAMS.missing())
    arguments = arguments_of(TITLE, VARIANTS, start.variant)
    login = login_of(TITLE, SUPERUSER, start.address) if start.address is not None else LAB_LOGIN
    version, password, lab_password = PROGRAMS.version(), login.password_to_use(), secrets.token_urlsafe(PASSWORD_BYTES)

    def admit_stacks(location: Location) -> None:
        # By the method that every driver knows.
        identified = f"IDENTIFIED VIA mysql_native_password USING PASSWORD('{escape_string(password)}')"
        stacks = location.addresses.stacks
        MariaClient(_target(location, None)).execute(
            # With its rights: the data that are kept let it in by loopback.
            *([f"RENAME USER '{login.user}'@'{LOOPBACK}' TO '{login.user}'@'{stacks}'"] if stacks != LOOPBACK else []),
            f"ALTER USER '{login.user}'@'{stacks}' {identified} ACCOUNT UNLOCK",
            # Who runs as the server's user, or as root, can enter the folder of the socket.
            f"ALTER USER '{SUPERUSER}'@'localhost' IDENTIFIED VIA mysql_native_password "
            f"USING PASSWORD('{lab_password}')",
        )

    return ServerProgram(
        name=NAME,
        title=TITLE,
        product=version or TITLE,
        data_recipe=DataRecipe(
            key=(NAME, version, LAYOUT),
            filled_key=login.key,
            command=lambda location: _command(location, WHILE_LOADING, login),
            fill=partial(_fill, login),
            initialise=_initialise,
            run=partial(_run, login),
        ),
        command=lambda location: _command(location, [USER_STATISTICS, *arguments], login),
        is_ready=_is_ready,
        client=lambda location: _client(login, location, lab_password),
        admit_stacks=admit_stacks,
        durability=Durable(
            reading=lambda location: durability(_client(login, location, lab_password)),
            sessions=lambda location: sessions(_client(login, location, lab_password), login.user),
            begin=lambda location: count_commits(_client(login, location, lab_password)),
        ),
        commit_log=CommitLog(
            end=lambda location: commit_log.end(_client(login, location, lab_password)),
            commits=lambda _location, since, until: commit_log.commits_between(since, until),
            retention=lambda location: commit_log.retention(_client(login, location, lab_password)),
        ),
        url=lambda location: login.url("mysql", password, location),
        port=login.port,
        leftovers=(PID_FILE, SOCKET),
        end_signal=SIGKILL,
        loses_in_power_cut=VARIANTS[start.variant].description if arguments else "",
    )


def _initialise(folder: Path) -> None:
    options = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
    PROGRAMS.run(folder, [PROGRAMS.path(INITIALISE), "--no-defaults", f"--datadir={folder / DATA}", *options])


def _command(location: Location, further: Sequence[str], login: Login) -> list[str]:
    """At its address and a socket in the data, with room for all pools."""
    data = location.data
    return [
        *(PROGRAMS.path(SERVER), "--no-defaults"),  # which has to come first
        *(f"--datadir={data}", f"--tmpdir={data}", f"--socket={data / SOCKET}", f"--pid-file={data / PID_FILE}"),
        *(f"--port={location.port}", f"--bind-address={location.host}", "--skip-name-resolve"),
        *(f"--max-connections={login.most_connections}", "--skip-log-bin", "--character-set-server=utf8mb4"),
        *further,
    ]


def _is_ready(location: Location) -> bool:
    """Whether the socket takes a connection: it is there when all else is."""
    try:
        pymysql.connect(**_target(location, None), connect_timeout=2).close()
    except pymysql.Error:
        return False
    return True


def _client(login: Login, location: Location, password: str = "") -> MariaClient:
    """As root, by the socket. Only the statements of the stacks' user are counted.

    Args:
        password: root's, which is asked for once stacks are admitted.
    """
    return MariaClient({**_target(location, login.database), "password": password}, counted_user=login.user)


def _target(location: Location, database: str | None) -> dict[str, Any]:
    # What PyMySQL reads for TLS, by default and for each connection, takes 20 ms; nothing leaves this machine here.
    socket = str(location.data / SOCKET)
    return {"unix_socket": socket, "user": SUPERUSER, "database": database, "ssl_disabled": True}


def _fill(login: Login, location: Location, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
    """One database with the tables, and a user that logs in by loopback and may read and write their rows, no more.

    Where there are no tables of the lab's, the tables are those of the user's files, or of a stack that
    makes them. All users but these are removed.
    """
    lab = MariaClient(_target(location, None))
    labs = f"('{SUPERUSER}@localhost', 'mariadb.sys@localhost')"
    others = lab.query(f"SELECT user, host FROM mysql.global_priv WHERE concat(user, '@', host) NOT IN {labs}")  # noqa: S608
    lab.execute(
        *(f"DROP USER '{user}'@'{host}'" for user, host in others),
        f"CREATE DATABASE `{login.database}` CHARACTER SET utf8mb4",
        f"CREATE USER '{login.user}'@'{LOOPBACK}' ACCOUNT LOCK",
        *([] if tables else [f"GRANT ALL PRIVILEGES ON `{login.database}`.* TO '{login.user}'@'{LOOPBACK}'"]),
    )
    _client(login, location).load(tables, on_rows)
    of_rows = ", ".join(OF_ROWS)
    rights = [f"{of_rows} ON `{login.database}`.{table.name}" for table in tables]
    if any(table.name == WORK_TABLE for table in tables):
        rights.append(f"EXECUTE ON FUNCTION `{login.database}`.{WORK_FUNCTION}")
    lab.execute(*(f"GRANT {right} TO '{login.user}'@'{LOOPBACK}'" for right in rights))


def _run(login: Login, location: Location, files: Sequence[Path]) -> None:
    """The user's files, into the stacks' database."""
    load(PROGRAMS.path_of("mariadb|mysql"), location.data / SOCKET, SUPERUSER, login.database, files)
