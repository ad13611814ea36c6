"""MariaDB: a private server with its own defaults, or one that runs already."""

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pymysql

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.sql.client import SqlClient
from fairtrial.catalog.services.sql.external import External
from fairtrial.catalog.services.sql.mariadb import MariaClient
from fairtrial.catalog.services.sql.recipe import MOST_CONNECTIONS, USER, Place, Recipe
from fairtrial.catalog.services.sql.service import sql_service

SUPERUSER = "root"
SOCKET = "server.sock"
PORT = 3306
RELAXED = (
    "innodb_flush_log_at_trx_commit=2: a commit is answered when the log is written but not yet on the disk, "
    "and the last second is lost when the machine crashes"
)
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


class MariaRecipe(Recipe):
    """MariaDB's own programs."""

    name = "mariadb"
    title = "MariaDB"
    scheme = "mysql"
    layout = 1
    leftovers = ("server.pid", SOCKET)
    end_signal = signal.SIGKILL
    clean_end_signal = signal.SIGTERM
    programs = ("mariadbd|mysqld", "mariadb-install-db|mysql_install_db")
    usual_places = ("/usr/sbin", "/usr/libexec", "/usr/bin", "/usr/local/mysql/bin")
    packages = ("mariadb-server",)
    oldest = MariaClient.oldest

    def initialise(self, folder: Path) -> None:
        """mariadb-install-db."""
        data = folder / "data"
        program = self.program("mariadb-install-db|mysql_install_db")
        options = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]
        self.run(folder, [program, "--no-defaults", f"--datadir={data}", *options])

    def command(self, place: Place, further: Sequence[str]) -> list[str]:
        """On loopback and the socket, with room for all pools; `--no-defaults` has to come first."""
        places = [
            f"--datadir={place.data}",
            f"--socket={place.data / SOCKET}",
            f"--pid-file={place.data / 'server.pid'}",
        ]
        network = [f"--port={place.port}", f"--bind-address={LOOPBACK}", "--skip-name-resolve"]
        rest = [
            f"--tmpdir={place.data}",
            f"--max-connections={MOST_CONNECTIONS}",
            "--skip-log-bin",
            "--character-set-server=utf8mb4",
        ]
        return [self.program("mariadbd|mysqld"), "--no-defaults", *places, *network, *rest, *further]

    def while_loading(self) -> Sequence[str]:
        """Room in memory, and no waiting for the disk."""
        no_waiting = ("--innodb-flush-log-at-trx-commit=0", "--skip-innodb-doublewrite")
        return ("--local-infile=1", "--innodb-buffer-pool-size=512M", *no_waiting)

    def of_variant(self, variant: str) -> Sequence[str]:
        """Its own defaults, and statistics by user."""
        return ("--userstat=1", *(("--innodb-flush-log-at-trx-commit=2",) if variant == "relaxed" else ()))

    def _access(self, place: Place, database: str | None) -> dict[str, Any]:
        return {"unix_socket": str(place.data / SOCKET), "user": SUPERUSER, "database": database}

    def lab(self, place: Place) -> SqlClient:
        """As root."""
        return MariaClient(self._access(place, USER), stacks_user=USER)

    def is_ready(self, place: Place) -> bool:
        """The socket is there when all else is."""
        try:
            pymysql.connect(**self._access(place, None), connect_timeout=2).close()
        except pymysql.Error:
            return False
        return True

    def prepare(self, place: Place) -> None:
        """A user that owns one database and comes by loopback; all users but the lab's on the socket removed."""
        own = MariaClient(self._access(place, None))
        known = f"('{SUPERUSER}@localhost', 'mariadb.sys@localhost')"
        others = own.ask(f"SELECT user, host FROM mysql.global_priv WHERE concat(user, '@', host) NOT IN {known}")  # noqa: S608
        own.tell(
            *(f"DROP USER '{user}'@'{host}'" for user, host in others),
            f"CREATE DATABASE {USER} CHARACTER SET utf8mb4",
            f"CREATE USER '{USER}'@'{LOOPBACK}' ACCOUNT LOCK",
            f"GRANT ALL PRIVILEGES ON {USER}.* TO '{USER}'@'{LOOPBACK}'",
        )

    def let_in(self, place: Place, password: str) -> None:
        """By the method that every driver knows; the password is of letters, digits, `-` and `_`."""
        method = "mysql_native_password"
        MariaClient(self._access(place, None)).tell(
            f"ALTER USER '{USER}'@'{LOOPBACK}' IDENTIFIED VIA {method} USING PASSWORD('{password}') ACCOUNT UNLOCK"
        )

    def settings(self, lab: SqlClient) -> Mapping[str, str]:
        """As SHOW VARIABLES has them."""
        return {str(name): str(value) for name, value in lab.ask(SETTINGS_OF_ANY)}


SETTINGS_OF_ANY = f"SHOW GLOBAL VARIABLES WHERE variable_name IN {SETTINGS!r}"


def _external(url: str) -> External:
    parts = urlsplit(url)
    target = {
        "host": parts.hostname or LOOPBACK,
        "port": parts.port or PORT,
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "database": unquote(parts.path.lstrip("/")),
    }
    return External(lambda hidden: MariaClient(target, hidden=hidden), SETTINGS_OF_ANY, "SELECT version()")


SERVICE = sql_service(MariaRecipe(), {"relaxed": RELAXED}, ("mysql", "mariadb"), _external)
