"""memcached: keys and values in memory, as a database or as a cache. Private, or one that runs already."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from pymemcache.exceptions import MemcacheError

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.installed import assert_installed, missing_program, said_version
from fairtrial.catalog.services.model import RowsLoaded, Service
from fairtrial.catalog.services.private.folder import run_folder
from fairtrial.catalog.services.private.server import Command, PrivateServer
from fairtrial.catalog.services.stores.key_value import assert_fit
from fairtrial.catalog.services.stores.memcached import TITLE, Store, connected
from fairtrial.catalog.services.stores.memcached_external import SCHEME, connect
from fairtrial.catalog.tables import Table

PROGRAM = "memcached"
LEAST_MEGABYTES = 256
ITEM_OVERHEAD_BYTES = 128
"""An item's header, and what is left free in its chunk."""

ROOM = 2
"""So many times what the data need: nothing is to be dropped for want of memory."""


class PrivateMemcached(Store):
    """A memcached of the lab's own."""

    def __init__(self, tables: Sequence[Table], on_rows: RowsLoaded, server: PrivateServer) -> None:
        super().__init__(tables, f"{SCHEME}://{LOOPBACK}:{server.port}", (LOOPBACK, server.port), "private")
        self._on_rows, self._server = on_rows, server
        self._start()

    def _start(self) -> None:
        self._server.start()
        self.load(self._on_rows)

    @property
    def pid(self) -> int | None:
        """The guard above it."""
        return self._server.pid

    def fault(self) -> str | None:
        """Why it does not run, or None."""
        return self._server.fault()

    def reset(self) -> None:
        """A new process, loaded again."""
        self._server.stop()
        self._start()


missing = partial(missing_program, TITLE, PROGRAM, "memcached")
version = partial(said_version, [PROGRAM, "--version"])


@contextmanager
def up(tables: Sequence[Table], variant: str, on_rows: RowsLoaded) -> Iterator[PrivateMemcached]:
    """A memcached of the lab's own with the tables.

    Raises:
        Problem: it is not installed, does not start, or the tables are no keys and values.
    """
    del variant
    assert_fit(TITLE, tables)
    assert_installed(missing())
    command = _command(megabytes(tables))
    with run_folder("memcached") as folder, PrivateServer(TITLE, folder, command, _is_ready) as server:
        yield PrivateMemcached(tables, on_rows, server)


def megabytes(tables: Sequence[Table]) -> int:
    """The memory it is given, by a sample of the rows."""
    needed = 0.0
    for table in tables:
        sample = table.rows.sample()
        texts = sum(len(table.key_prefix) + len("".join(map(str, row.values())).encode()) for row in sample)
        needed += table.rows.count * (ITEM_OVERHEAD_BYTES + texts / max(1, len(sample)))
    return max(LEAST_MEGABYTES, int(ROOM * needed / 2**20) + 1)


def _is_ready(port: int) -> bool:
    try:
        with closing(connected((LOOPBACK, port))) as client:
            client.version()
    except (MemcacheError, OSError):
        return False
    return True


def _command(memory: int) -> Command:
    def command(_data: Path, port: int) -> list[str]:
        return [PROGRAM, "-l", LOOPBACK, "-p", str(port), "-U", "0", "-m", str(memory)]

    return command


SERVICE = Service(
    name="memcached",
    title=TITLE,
    roles=("database", "cache"),
    up=up,
    missing=missing,
    version=version,
    schemes=(SCHEME,),
    connect=connect,
)
