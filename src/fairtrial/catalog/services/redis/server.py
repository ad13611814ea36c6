"""Redis' own program: how a private server is started."""

import secrets
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from fairtrial.catalog.services.common.client import answers
from fairtrial.catalog.services.common.folder import write_secret
from fairtrial.catalog.services.common.installed import assert_installed
from fairtrial.catalog.services.common.key_value import assert_pairs
from fairtrial.catalog.services.common.server_program import DataRecipe, Location, ServerProgram, arguments_of
from fairtrial.catalog.services.common.sql import PASSWORD_BYTES
from fairtrial.catalog.services.model import RowsLoaded, ServiceStart
from fairtrial.catalog.services.redis import NAME, PROGRAM, TITLE, VARIANTS, missing, version
from fairtrial.catalog.services.redis.client import RedisClient
from fairtrial.catalog.services.redis.user_commands import load
from fairtrial.catalog.tables import Table

USERS_FILE = "users.conf"
LABS_USER = "lab"
RIGHTS_OF_STACKS = "~* &* +@all -@admin -@dangerous +info +keys +sort +role"
"""All that is done with keys, and what drivers ask when they connect. Not what changes the server's settings, empties
it, stops it or sets its counters back (CONFIG, FLUSHALL, SHUTDOWN, DEBUG)."""

LAYOUT = 1
"""Raise it when the way in which tables are laid out changes: kept data are made again."""

SNAPSHOTS_ONLY = 'Redis has snapshots only, and a crash loses what is newer: choose `variant = "append-only-always"`'


def program(start: ServiceStart) -> ServerProgram:
    """A private Redis.

    All settings are those that Redis is built with: snapshots after 3600 s with 1 change, 300 s with 100, 60 s with
    10,000. Its file of settings names users alone: the default one for stacks, by a password, since clients that are
    older than users (Redis 6) know nothing else; and the lab's, which may do everything.

    Raises:
        Problem: it is not installed, there is no such variant, or the tables are not keys and values.
    """
    assert_pairs(TITLE, start.tables)
    assert_installed(missing())
    arguments, logins = arguments_of(TITLE, VARIANTS, start.variant), _Logins()

    def command(location: Location) -> list[str]:
        network = ["--port", str(location.port), "--bind", location.host]
        return [PROGRAM, str(logins.write_users_file(location)), *network, "--dir", str(location.data), *arguments]

    def fill(location: Location, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        with closing(logins.client(location)) as client:
            client.load(tables, on_rows)
            client.save()

    def run(location: Location, files: Sequence[Path]) -> None:
        with closing(logins.client(location)) as client:
            load(client, files)
            client.save()

    return ServerProgram(
        name=NAME,
        title=TITLE,
        data_recipe=DataRecipe(key=(NAME, version(), arguments, LAYOUT), command=command, fill=fill, run=run),
        command=command,
        is_ready=lambda location: answers(logins.client(location)),
        client=logins.client,
        url=logins.url_for_stacks,
        loses_when_killed="" if arguments else SNAPSHOTS_ONLY,
    )


@dataclass(frozen=True)
class _Logins:
    """The passwords of one server."""

    stacks: str = field(default_factory=lambda: secrets.token_urlsafe(PASSWORD_BYTES), repr=False)
    labs: str = field(default_factory=lambda: secrets.token_urlsafe(PASSWORD_BYTES), repr=False)

    def write_users_file(self, location: Location) -> Path:
        """Write the file of the two users, and return its path; it is readable by the server's user alone."""
        file = location.data.parent / USERS_FILE
        users = [f"user default on >{self.stacks} {RIGHTS_OF_STACKS}", f"user {LABS_USER} on >{self.labs} ~* &* +@all"]
        write_secret(file, "".join(f"{user}\n" for user in users))
        return file

    def url_for_stacks(self, location: Location) -> str:
        """The stacks' URL: a password without a user's name."""
        return f"redis://:{self.stacks}@{location.host}:{location.port}/0"

    def client(self, location: Location) -> RedisClient:
        """The lab's access."""
        return RedisClient(f"redis://{LABS_USER}:{self.labs}@{location.host}:{location.port}/0")
