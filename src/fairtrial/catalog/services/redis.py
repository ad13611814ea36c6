"""Redis: keys and values, as a database or as a cache. Private, or one that runs already."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import redis

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.installed import assert_installed, missing_program, said_version
from fairtrial.catalog.services.model import RowsLoaded, Service
from fairtrial.catalog.services.private.folder import run_folder
from fairtrial.catalog.services.private.ready_made import ReadyMade, ready_made
from fairtrial.catalog.services.private.server import Command, PrivateServer
from fairtrial.catalog.services.stores.key_value import assert_fit
from fairtrial.catalog.services.stores.redis import TITLE, Store, connected, fill, spoken
from fairtrial.catalog.services.stores.redis_external import connect
from fairtrial.catalog.tables import Table, tables_sha256

PROGRAM = "redis-server"
LAYOUT = 1
"""Raise it when the way tables are laid out changes: kept data are made again."""

VARIANTS = {
    "append-only-always": ["--appendonly", "yes", "--appendfsync", "always"],
}


class PrivateRedis(Store):
    """A Redis of the lab's own."""

    def __init__(self, tables: Sequence[Table], variant: str, server: PrivateServer, made: ReadyMade) -> None:
        self._server, self._made = server, made
        server.start(made())
        super().__init__(tables, _url(server.port), "private", variant)
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
        self.loaded()


missing = partial(missing_program, TITLE, PROGRAM, "redis-server")
version = partial(said_version, [PROGRAM, "--version"])


@contextmanager
def up(tables: Sequence[Table], variant: str, on_rows: RowsLoaded) -> Iterator[PrivateRedis]:
    """A Redis of the lab's own with the tables; `variant` is "default" or one of VARIANTS.

    Raises:
        Problem: it is not installed, does not start, or the tables are no keys and values.
    """
    assert_fit(TITLE, tables)
    assert_installed(missing())
    command = _command(VARIANTS.get(variant, []))

    def fill_at(port: int) -> None:
        with closing(connected(_url(port))) as client:
            fill(client, tables, on_rows)
            with spoken():
                client.save()

    name = "-".join(["redis", *(table.name for table in tables)])
    sha256 = tables_sha256(tables, "redis", version(), VARIANTS.get(variant, []), LAYOUT)
    made = partial(ready_made, TITLE, name, sha256, lambda _folder: command, _is_ready, fill_at)
    with run_folder("redis") as folder, PrivateServer(TITLE, folder, command, _is_ready) as server:
        running = PrivateRedis(tables, variant, server, made)
        with closing(running.client):
            yield running


def _is_ready(port: int) -> bool:
    try:
        with closing(connected(_url(port))) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _command(further: Sequence[str]) -> Command:
    # Without a file of settings, all others are those that Redis is built with: snapshots after 3600 s with 1 change,
    # 300 s with 100, 60 s with 10,000. There is no password: it listens on loopback alone and lives as long as a run,
    # and the other key-value store has none, so that neither is asked for one when stacks connect.
    def command(data: Path, port: int) -> list[str]:
        return [PROGRAM, "--port", str(port), "--bind", LOOPBACK, "--dir", str(data), *further]

    return command


def _url(port: int) -> str:
    return f"redis://{LOOPBACK}:{port}/0"


SERVICE = Service(
    name="redis",
    title=TITLE,
    roles=("database", "cache"),
    up=up,
    missing=missing,
    version=version,
    schemes=("redis", "rediss"),
    connect=connect,
    variants={
        "append-only-always": "every write is in the append-only file, synced, before it is answered "
        "(appendonly yes, appendfsync always); by default there are snapshots only, and a crash loses what is newer"
    },
)
