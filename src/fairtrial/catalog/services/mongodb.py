"""The MongoDB protocol: MongoDB's own server where it is installed, else SecantusDB, or one that runs already.

Which of them it is, the identity says in the server's own words.
"""

import socket
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from pymongo.errors import PyMongoError

from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.installed import assert_installed
from fairtrial.catalog.services.model import RowsLoaded, Service
from fairtrial.catalog.services.private.folder import run_folder
from fairtrial.catalog.services.private.mongo_program import LOADING_CACHE_GIB, Program, found_program, install, missing
from fairtrial.catalog.services.private.ready_made import ReadyMade, ready_made
from fairtrial.catalog.services.private.server import Command, PrivateServer
from fairtrial.catalog.services.stores.documents import fill
from fairtrial.catalog.services.stores.mongodb import Store, connected, spoken
from fairtrial.catalog.services.stores.mongodb_external import TITLE, connect
from fairtrial.catalog.tables import Table, tables_sha256

DATABASE = "fairtrial"
LAYOUT = 1
"""Raise it when the way tables are laid out changes: kept data are made again."""


class PrivateMongo(Store):
    """A server of the lab's own."""

    def __init__(self, tables: Sequence[Table], program: Program, server: PrivateServer, made: ReadyMade) -> None:
        self._server, self._made = server, made
        server.start(made())
        super().__init__(tables, _url(server.port), "private", program)
        self.loaded()

    @property
    def pid(self) -> int | None:
        """The guard above it."""
        return self._server.pid

    def fault(self) -> str | None:
        """Why it does not run, or None."""
        return self._server.fault()

    def reset(self) -> None:
        """A new process on a copy of what was loaded."""
        self.client.close()
        self._server.restart(self._made())
        self.client = connected(self.url)
        self._database = self.client.get_default_database()
        self.loaded()


@contextmanager
def up(tables: Sequence[Table], variant: str, on_rows: RowsLoaded) -> Iterator[PrivateMongo]:
    """A server of the lab's own with the tables.

    Raises:
        Problem: there is none on this machine, or it does not start.
    """
    del variant
    assert_installed(missing())
    program = found_program()
    assert program is not None
    name = "-".join(["mongodb", *(table.name for table in tables)])
    sha256 = tables_sha256(tables, "mongodb", program.version, LAYOUT)

    def fill_at(port: int) -> None:
        with spoken(), closing(connected(_url(port))) as client:
            fill(client.get_default_database(), tables, on_rows)

    def loading(folder: Path) -> Command:
        return program.command(folder, LOADING_CACHE_GIB)

    made = partial(ready_made, program.title, name, sha256, loading, _is_ready, fill_at)
    with (
        run_folder("mongodb") as folder,
        PrivateServer(program.title, folder, program.command(folder), _is_ready) as server,
    ):
        running = PrivateMongo(tables, program, server, made)
        try:
            yield running
        finally:
            running.client.close()


def _is_ready(port: int) -> bool:
    try:
        # The client waits for a server that is not there yet longer than it takes to start.
        socket.create_connection((LOOPBACK, port), timeout=1.0).close()
        with closing(connected(_url(port))) as client:
            client.admin.command("ping")
    except (OSError, Problem, PyMongoError):
        return False
    return True


def _url(port: int) -> str:
    return f"mongodb://{LOOPBACK}:{port}/{DATABASE}"


def version() -> str | None:
    """Which of the two is installed, and which version of it."""
    program = found_program()
    return program.version if program else None


SERVICE = Service(
    name="mongodb",
    title=TITLE,
    roles=("database",),
    up=up,
    missing=missing,
    version=version,
    schemes=("mongodb", "mongodb+srv"),
    connect=connect,
    install=install,
)
