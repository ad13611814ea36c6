"""PostgreSQL: a private server with its own defaults, or one that runs already."""

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.private.folder import give_to_server
from fairtrial.catalog.services.sql.client import SqlClient
from fairtrial.catalog.services.sql.external import External
from fairtrial.catalog.services.sql.postgresql import PostgresClient
from fairtrial.catalog.services.sql.recipe import MOST_CONNECTIONS, USER, Place, Recipe
from fairtrial.catalog.services.sql.service import sql_service

SUPERUSER = "lab"
OWN_DATABASE = "template1"
"""Where the lab keeps what is its own: the stacks' database holds the tables alone."""

UNUSED_DATABASES = ("postgres", "template0")
"""Each is three hundred files, which would be copied at every start."""

STATISTICS = "pg_stat_statements"
RELAXED = "synchronous_commit=off: a commit is answered before it is on the disk, and the last ones are lost in a crash"

ACCESS = f"""# Written by Fairtrial.
local all {SUPERUSER} trust
host {USER} {USER} {LOOPBACK}/32 scram-sha-256
"""
"""The socket lies in a folder that only the server's user can enter."""

SETTINGS = (
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_level",
    "wal_sync_method",
    "max_wal_size",
    "shared_buffers",
    "work_mem",
    "max_connections",
    "default_transaction_isolation",
    "jit",
    "shared_preload_libraries",
)


class PostgresRecipe(Recipe):
    """PostgreSQL's own programs."""

    name = "postgresql"
    title = "PostgreSQL"
    scheme = "postgresql"
    layout = 1
    leftovers = ("postmaster.pid",)
    end_signal = signal.SIGQUIT
    clean_end_signal = signal.SIGINT  # on SIGTERM it waits for whoever is connected
    programs = ("postgres", "initdb")
    usual_places = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin")
    packages = ("postgresql",)
    oldest = PostgresClient.oldest

    def initialise(self, folder: Path) -> None:
        """initdb, and who may connect."""
        data = folder / "data"
        command = [self.program("initdb"), "-D", str(data), "-U", SUPERUSER, "-A", "reject"]
        self.run(folder, [*command, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"])
        (data / "pg_hba.conf").write_text(ACCESS)
        give_to_server(data)

    def command(self, place: Place, further: Sequence[str]) -> list[str]:
        """On loopback and the socket, with room for all pools."""
        settings = [f"listen_addresses={LOOPBACK}", f"max_connections={MOST_CONNECTIONS}", *further]
        options = [option for setting in settings for option in ("-c", setting)]
        return [self.program("postgres"), "-D", str(place.data), "-p", str(place.port), "-k", str(place.data), *options]

    def while_loading(self) -> Sequence[str]:
        """No log of what is loaded into tables made in the same transaction, and no waiting for the disk."""
        minimal_log = ("wal_level=minimal", "max_wal_senders=0", "max_wal_size=4GB")
        no_waiting = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")
        return (*minimal_log, *no_waiting, "autovacuum=off", "maintenance_work_mem=256MB")

    def of_variant(self, variant: str) -> Sequence[str]:
        """Its own defaults, and statistics of statements where the server has them."""
        relaxed = ("synchronous_commit=off",) if variant == "relaxed" else ()
        return (*relaxed, *((f"shared_preload_libraries={STATISTICS}",) if self._has_statistics() else ()))

    def _has_statistics(self) -> bool:
        server = Path(self.program("postgres")).resolve()
        return any((server.parents[1] / place / f"{STATISTICS}.so").exists() for place in ("lib", "lib/postgresql"))

    def _access(self, place: Place, database: str) -> str:
        return psycopg.conninfo.make_conninfo(host=str(place.data), port=place.port, user=SUPERUSER, dbname=database)

    def lab(self, place: Place) -> SqlClient:
        """As superuser; tables become the stacks' user's."""
        own = PostgresClient(self._access(place, OWN_DATABASE))
        access = self._access(place, USER)
        return PostgresClient(access, role=USER, stacks_user=USER, statistics=own)

    def is_ready(self, place: Place) -> bool:
        """A connection is taken as soon as it can be served."""
        try:
            psycopg.connect(self._access(place, OWN_DATABASE), connect_timeout=2).close()
        except psycopg.Error:
            return False
        return True

    def prepare(self, place: Place) -> None:
        """A user that may log in and owns one database."""
        PostgresClient(self._access(place, OWN_DATABASE)).tell(
            f"CREATE ROLE {USER} LOGIN",
            f"CREATE DATABASE {USER} OWNER {USER} TEMPLATE template0",
            "ALTER DATABASE template0 IS_TEMPLATE false",
            *(f"DROP DATABASE {name}" for name in UNUSED_DATABASES),
            *([f"CREATE EXTENSION {STATISTICS}"] if self._has_statistics() else []),
        )

    def let_in(self, place: Place, password: str) -> None:
        """By the verifier: the statistics of statements keep the text of this one."""
        own = PostgresClient(self._access(place, OWN_DATABASE))
        own.tell(f"ALTER ROLE {USER} PASSWORD '{own.scram_verifier(USER, password)}'")

    def settings(self, lab: SqlClient) -> Mapping[str, str]:
        """With units."""
        rows = lab.ask("SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY(%s)", [list(SETTINGS)])
        return {str(name): str(value) for name, value in rows}


def _external(url: str) -> External:
    return External(lambda hidden: PostgresClient(url, hidden=hidden), SETTINGS_OF_ANY, "SHOW server_version")


SETTINGS_OF_ANY = f"SELECT name, current_setting(name) FROM pg_settings WHERE name IN {SETTINGS!r}"  # noqa: S608

SERVICE = sql_service(PostgresRecipe(), {"relaxed": RELAXED}, ("postgresql", "postgres"), _external)
