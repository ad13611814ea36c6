"""PostgreSQL's own programs: how a private server is initialised, started and opened to stacks."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from signal import SIGINT, SIGQUIT

import psycopg

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.common.folder import give_to_server
from fairtrial.catalog.services.common.installed import Programs, assert_installed
from fairtrial.catalog.services.common.private import DATA, KeptData, Location, ServerProgram, Variant, arguments_of
from fairtrial.catalog.services.common.sql import MOST_CONNECTIONS, PASSWORD_BYTES, USER
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.services.postgresql.client import TITLE, PostgresClient
from fairtrial.catalog.services.postgresql.own_sql import load
from fairtrial.catalog.tables import Table

NAME = "postgresql"
SUPERUSER = "lab"
OWN_DATABASE = "template1"
"""Where the lab keeps its own objects: the stacks' database holds only the tables."""

UNUSED_DATABASES = ("postgres", "template0")
"""Each is three hundred files, which would be copied at every start."""

STATISTICS = "pg_stat_statements"
LAYOUT = 1
"""Raise it when the way in which data are made changes: kept data are made again."""

PROGRAMS = Programs(
    title=TITLE,
    names=("postgres", "initdb"),
    usual_folders=("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin"),
    packages=("postgresql",),
    oldest=PostgresClient.oldest,
)
VARIANTS = {
    "relaxed": Variant(
        "synchronous_commit=off: a commit is answered before it is on the disk, and the last ones are lost in a crash",
        ("synchronous_commit=off",),
    )
}
WHILE_LOADING = (
    # no log of what is loaded into tables created in the same transaction
    *("wal_level=minimal", "max_wal_senders=0", "max_wal_size=4GB"),
    # no waiting for the disk
    *("fsync=off", "full_page_writes=off", "synchronous_commit=off"),
    *("autovacuum=off", "maintenance_work_mem=256MB"),
)
ACCESS = f"""# Written by Fairtrial.
local all {SUPERUSER} trust
host {USER} {USER} {LOOPBACK}/32 scram-sha-256
"""
"""The socket lies in a folder that only the server's user can enter."""


def program(_tables: Sequence[Table], variant: str) -> ServerProgram:
    """A private PostgreSQL: its own defaults, with statistics of statements where the installation has them.

    Raises:
        Problem: it is not installed, or there is no such variant.
    """
    assert_installed(PROGRAMS.missing())
    arguments = arguments_of(TITLE, VARIANTS, variant)
    version, password = PROGRAMS.version(), secrets.token_urlsafe(PASSWORD_BYTES)
    statistics = (f"shared_preload_libraries={STATISTICS}",) if has_statistics() else ()

    def admit_stacks(location: Location) -> None:
        # By the verifier: the statistics of statements keep the text of this one.
        own = PostgresClient(_target(location, OWN_DATABASE))
        own.execute(f"ALTER ROLE {USER} PASSWORD '{own.scram_verifier(USER, password)}'")

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
            end_signal=SIGINT,  # on SIGTERM it waits for whoever is connected
        ),
        command=lambda location: _command(location, [*arguments, *statistics]),
        is_ready=_is_ready,
        client=_client,
        admit_stacks=admit_stacks,
        url=lambda port: f"postgresql://{USER}:{password}@{LOOPBACK}:{port}/{USER}",
        leftovers=("postmaster.pid",),
        end_signal=SIGQUIT,
    )


def has_statistics() -> bool:
    """Whether the installation brings `pg_stat_statements`."""
    server = Path(PROGRAMS.path("postgres")).resolve()
    return any((server.parents[1] / folder / f"{STATISTICS}.so").exists() for folder in ("lib", "lib/postgresql"))


def _initialise(folder: Path) -> None:
    data = folder / DATA
    command = [PROGRAMS.path("initdb"), "-D", str(data), "-U", SUPERUSER, "-A", "reject"]
    PROGRAMS.run(folder, [*command, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"])
    (data / "pg_hba.conf").write_text(ACCESS)
    give_to_server(data)


def _command(location: Location, further: Sequence[str]) -> list[str]:
    """On loopback and a socket in the data, with room for all pools."""
    settings = [f"listen_addresses={LOOPBACK}", f"max_connections={MOST_CONNECTIONS}", *further]
    options = [option for setting in settings for option in ("-c", setting)]
    data = str(location.data)
    return [PROGRAMS.path("postgres"), "-D", data, "-p", str(location.port), "-k", data, *options]


def _is_ready(location: Location) -> bool:
    """Whether it takes a connection, which it does as soon as it can serve one."""
    try:
        psycopg.connect(_target(location, OWN_DATABASE), connect_timeout=2).close()
    except psycopg.Error:
        return False
    return True


def _client(location: Location) -> PostgresClient:
    """As superuser, by the socket. The tables become the stacks' user's, and only its statements are counted."""
    own = PostgresClient(_target(location, OWN_DATABASE))
    return PostgresClient(_target(location, USER), role=USER, counted_user=USER, statistics=own)


def _target(location: Location, database: str) -> str:
    return psycopg.conninfo.make_conninfo(host=str(location.data), port=location.port, user=SUPERUSER, dbname=database)


def _fill(location: Location, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
    """A user that may log in and owns one database, and the tables in that."""
    PostgresClient(_target(location, OWN_DATABASE)).execute(
        f"CREATE ROLE {USER} LOGIN",
        f"CREATE DATABASE {USER} OWNER {USER} TEMPLATE template0",
        "ALTER DATABASE template0 IS_TEMPLATE false",
        *(f"DROP DATABASE {name}" for name in UNUSED_DATABASES),
        *([f"CREATE EXTENSION {STATISTICS}"] if has_statistics() else []),
    )
    _client(location).load(tables, on_rows)


def _run(location: Location, files: Sequence[Path]) -> None:
    """Files of a user's own, as the stacks' user; and statistics for the planner."""
    load(PROGRAMS.path_of("psql"), _target(location, USER), USER, files)
    PostgresClient(_target(location, USER)).execute("ANALYZE")
