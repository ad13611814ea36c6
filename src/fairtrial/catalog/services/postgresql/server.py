"""PostgreSQL's own programs: how a private server is initialised, started and opened to stacks."""

import secrets
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from signal import SIGINT, SIGQUIT

import psycopg

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.folder import give_to_server
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
from fairtrial.catalog.services.model import RowsLoaded, ServiceStart
from fairtrial.catalog.services.postgresql import NAME, PROGRAMS, SUPERUSER, TITLE, VARIANTS, commit_log
from fairtrial.catalog.services.postgresql.client import PostgresClient
from fairtrial.catalog.services.postgresql.durability import durability, sessions
from fairtrial.catalog.services.postgresql.user_sql import load
from fairtrial.catalog.tables import Table

LAB_DATABASE = "template1"
"""Where the lab keeps its own objects: the stacks' database holds only the tables."""

UNUSED_DATABASE, EMPTY_DATABASE = "postgres", "template0"
"""Both are dropped: each is three hundred files, which would be copied at every start. The first goes before the
database of the stacks is made, which may have its name."""

STATISTICS = "pg_stat_statements"
LAYOUT = 2
"""Raise it when the way in which data are made changes: kept data are made again."""

WHILE_LOADING = (
    # no log of what is loaded into tables created in the same transaction
    *("wal_level=minimal", "max_wal_senders=0", "max_wal_size=4GB"),
    # no waiting for the disk
    *("fsync=off", "full_page_writes=off", "synchronous_commit=off"),
    *("autovacuum=off", "maintenance_work_mem=256MB"),
)
ACCESS_FILE = "pg_hba.conf"
ACCESS = """# Written by Fairtrial.
local all {superuser} trust
host "{login.database}" "{login.user}" {stacks}/32 scram-sha-256
"""
"""While data are made, and until stacks are admitted. Only the server's user can enter the folder of the socket; that
may be the stacks' as well."""

WITH_PASSWORDS = ACCESS.replace(" trust", " scram-sha-256")
"""As soon as a stack may be there: who runs as the server's user, or as root, can enter the socket's folder."""

SHUT_WITHIN_SECONDS = 5.0
ASK_EVERY_SECONDS = 0.005


def program(start: ServiceStart) -> ServerProgram:
    """A private PostgreSQL: its own defaults, with statistics of statements where the installation has them.

    Raises:
        Problem: it is not installed, there is no such variant, or the login is the lab's own.
    """
    assert_installed(PROGRAMS.missing())
    arguments = arguments_of(TITLE, VARIANTS, start.variant)
    login = login_of(TITLE, SUPERUSER, start.address) if start.address is not None else LAB_LOGIN
    version, password, lab_password = PROGRAMS.version(), login.password_to_use(), secrets.token_urlsafe(PASSWORD_BYTES)
    statistics = (f"shared_preload_libraries={STATISTICS}",) if has_statistics() else ()

    def admit_stacks(location: Location) -> None:
        # By the verifier: the statistics of statements keep the text of this one.
        lab_client = PostgresClient(_target(location, LAB_DATABASE))
        passwords = {login.user: password, SUPERUSER: lab_password}
        lab_client.execute(
            *(
                f"""ALTER ROLE "{name}" PASSWORD '{lab_client.scram_verifier(name, each)}'"""
                for name, each in passwords.items()
            )
        )
        _allow(login, location, WITH_PASSWORDS)
        lab_client.execute("SELECT pg_reload_conf()")
        _await_shut(location)

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
            end_signal=SIGINT,  # on SIGTERM it waits for whoever is connected
        ),
        command=lambda location: _command(location, [*arguments, *statistics], login),
        is_ready=_is_ready,
        client=lambda location: _client(login, location, lab_password),
        admit_stacks=admit_stacks,
        durability=Durable(
            reading=lambda location: durability(
                _client(login, location, lab_password), PostgresClient(_target(location, LAB_DATABASE, lab_password))
            ),
            sessions=lambda location: sessions(_client(login, location, lab_password), login.user),
        ),
        commit_log=CommitLog(
            end=lambda location: commit_log.end(_client(login, location, lab_password)),
            commits=lambda location, since, until: commit_log.commits_between(
                _client(login, location, lab_password), location.data, PROGRAMS.path_of("pg_waldump"), since, until
            ),
        ),
        url=lambda location: login.url("postgresql", password, location),
        port=login.port,
        end_sessions=lambda location: _client(login, location, lab_password).end_sessions_of(login.user),
        leftovers=("postmaster.pid",),
        end_signal=SIGQUIT,
        loses_when_killed=VARIANTS[start.variant].description if arguments else "",
    )


def has_statistics() -> bool:
    """Whether the installation brings `pg_stat_statements`."""
    server = Path(PROGRAMS.path("postgres")).resolve()
    return any((server.parents[1] / folder / f"{STATISTICS}.so").exists() for folder in ("lib", "lib/postgresql"))


def _initialise(folder: Path) -> None:
    data = folder / DATA
    command = [PROGRAMS.path("initdb"), "-D", str(data), "-U", SUPERUSER, "-A", "reject"]
    PROGRAMS.run(folder, [*command, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"])
    _allow(LAB_LOGIN, Location(data, 0), ACCESS)
    give_to_server(data)


def _allow(login: Login, location: Location, rules: str) -> None:
    """Say whom the server lets in; it is read at its next start, or when it is told to."""
    text = rules.format(superuser=SUPERUSER, login=login, stacks=location.addresses.stacks)
    (location.data / ACCESS_FILE).write_text(text)


def _command(location: Location, further: Sequence[str], login: Login) -> list[str]:
    """At its address and a socket in the data, with room for all pools."""
    settings = [f"listen_addresses={location.host}", f"max_connections={login.most_connections}", *further]
    options = [option for setting in settings for option in ("-c", setting)]
    data = str(location.data)
    return [PROGRAMS.path("postgres"), "-D", data, "-p", str(location.port), "-k", data, *options]


def _is_ready(location: Location) -> bool:
    """Whether it takes a connection, which it does as soon as it can serve one."""
    return _admits(location)


def _admits(location: Location) -> bool:
    """Whether it takes a connection of the superuser without a password."""
    try:
        psycopg.connect(_target(location, LAB_DATABASE), connect_timeout=2).close()
    except psycopg.Error:
        return False
    return True


def _await_shut(location: Location) -> None:
    """Wait until nobody gets in without a password any more: the server reads its rules when it comes to it.

    Raises:
        Problem: it still admits everybody.
    """
    deadline = time.monotonic() + SHUT_WITHIN_SECONDS
    while _admits(location):
        if time.monotonic() > deadline:
            raise Problem(f"{TITLE} still asks for no password", "run it again")
        time.sleep(ASK_EVERY_SECONDS)


def _client(login: Login, location: Location, password: str = "") -> PostgresClient:
    """As superuser, by the socket. Only the statements of the stacks' user are counted.

    Args:
        password: the superuser's, which is asked for once stacks are admitted.
    """
    lab_client = PostgresClient(_target(location, LAB_DATABASE, password))
    return PostgresClient(_target(location, login.database, password), counted_user=login.user, statistics=lab_client)


def _target(location: Location, database: str, password: str = "") -> str:
    return psycopg.conninfo.make_conninfo(
        host=str(location.data), port=location.port, user=SUPERUSER, dbname=database, password=password or None
    )


def _fill(login: Login, location: Location, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
    """A user that may log in, one database, and the tables in that: the user may read and write their rows, no more.

    Where there are no tables of the lab's, the database is the user's own: its tables are those of a user's files, or
    of a stack that makes them.
    """
    _allow(login, location, ACCESS)
    owner = SUPERUSER if tables else login.user
    PostgresClient(_target(location, LAB_DATABASE)).execute(
        f"DROP DATABASE {UNUSED_DATABASE}",
        f'CREATE ROLE "{login.user}" LOGIN',
        f'CREATE DATABASE "{login.database}" OWNER "{owner}" TEMPLATE {EMPTY_DATABASE}',
        f"ALTER DATABASE {EMPTY_DATABASE} IS_TEMPLATE false",
        f"DROP DATABASE {EMPTY_DATABASE}",
        *([f"CREATE EXTENSION {STATISTICS}"] if has_statistics() else []),
    )
    client = _client(login, location)
    client.load(tables, on_rows)
    if tables:
        client.execute(*_rights(login, tables))


def _rights(login: Login, tables: Sequence[Table]) -> list[str]:
    """The stacks' user's rights, and nothing else: no tables of its own, not even temporary ones."""
    return [
        f'REVOKE ALL ON DATABASE "{login.database}" FROM public',
        f'GRANT CONNECT ON DATABASE "{login.database}" TO "{login.user}"',
        "REVOKE ALL ON SCHEMA public FROM public",
        f'GRANT USAGE ON SCHEMA public TO "{login.user}"',
        *(f'GRANT {", ".join(OF_ROWS)} ON {table.name} TO "{login.user}"' for table in tables),
        f'GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO "{login.user}"',
    ]


def _run(login: Login, location: Location, files: Sequence[Path]) -> None:
    """The user's files, as the stacks' user; and statistics for the planner."""
    target = _target(location, login.database)
    load(PROGRAMS.path_of("psql"), target, login.user, files)
    PostgresClient(target).execute("ANALYZE")
