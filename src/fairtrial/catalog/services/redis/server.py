"""Redis' own program: how a private server is started."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from fairtrial.base.loopback import LOOPBACK
from fairtrial.catalog.services.common.client import answers
from fairtrial.catalog.services.common.installed import assert_installed, missing_program, version_line
from fairtrial.catalog.services.common.key_value import assert_fit
from fairtrial.catalog.services.common.private import KeptData, Location, ServerProgram, Variant, arguments_of
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.services.redis.client import NAME, TITLE, RedisClient
from fairtrial.catalog.services.redis.own_commands import load
from fairtrial.catalog.tables import Table

PROGRAM = "redis-server"
LAYOUT = 1
"""Raise it when the way in which tables are laid out changes: kept data are made again."""

VARIANTS = {
    "append-only-always": Variant(
        "every write is in the append-only file, synced, before it is answered "
        "(appendonly yes, appendfsync always); by default there are snapshots only, and a crash loses what is newer",
        ("--appendonly", "yes", "--appendfsync", "always"),
    ),
}

missing = partial(missing_program, TITLE, PROGRAM, "redis-server")
version = partial(version_line, [PROGRAM, "--version"])


def program(tables: Sequence[Table], variant: str) -> ServerProgram:
    """A private Redis.

    Without a file of settings, all are those that Redis is built with: snapshots after 3600 s with 1 change, 300 s with
    100, 60 s with 10,000. There is no password: it listens on loopback alone and lives as long as a run; the other
    key-value store knows none, so neither is asked for one when stacks connect.

    Raises:
        Problem: it is not installed, there is no such variant, or the tables are not keys and values.
    """
    assert_fit(TITLE, tables)
    assert_installed(missing())
    arguments = arguments_of(TITLE, VARIANTS, variant)

    def command(location: Location) -> list[str]:
        network = ["--port", str(location.port), "--bind", LOOPBACK]
        return [PROGRAM, *network, "--dir", str(location.data), *arguments]

    return ServerProgram(
        name=NAME,
        title=TITLE,
        kept=KeptData(key=(NAME, version(), arguments, LAYOUT), command=command, fill=_fill, run=_run),
        command=command,
        is_ready=lambda location: answers(_client(location)),
        client=_client,
        url=_url,
    )


def _url(port: int) -> str:
    return f"redis://{LOOPBACK}:{port}/0"


def _client(location: Location) -> RedisClient:
    return RedisClient(_url(location.port))


def _fill(location: Location, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
    with closing(_client(location)) as client:
        client.load(tables, on_rows)
        client.save()


def _run(location: Location, files: Sequence[Path]) -> None:
    with closing(_client(location)) as client:
        load(client, files)
        client.save()
