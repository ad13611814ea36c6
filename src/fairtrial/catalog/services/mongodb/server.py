"""How a private server that speaks the MongoDB protocol is started: mongod or SecantusDB."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from signal import SIGKILL
from typing import Any

from fairtrial.base.loopback import listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.client import answers
from fairtrial.catalog.services.common.folder import write_secret
from fairtrial.catalog.services.common.installed import assert_installed
from fairtrial.catalog.services.common.server_program import (
    CommitLog,
    DataRecipe,
    Location,
    ServerProgram,
    arguments_of,
)
from fairtrial.catalog.services.common.sql import PASSWORD_BYTES
from fairtrial.catalog.services.model import RowsLoaded, ServiceStart
from fairtrial.catalog.services.mongodb import NAME, TITLE, journal
from fairtrial.catalog.services.mongodb.client import MongodbClient
from fairtrial.catalog.services.mongodb.program import installed_program, missing_server
from fairtrial.catalog.services.mongodb.user_documents import load
from fairtrial.catalog.tables import Table

DATABASE = "fairtrial"
USER = DATABASE
"""As which stacks log in."""

LABS_USER, LABS_DATABASE = "lab", "admin"
LABS_LOGIN_FILE = "labs-login"
"""In the data, which nobody but the lab and the server can read: the data that are kept have the lab's user in them."""

RIGHTS_OF_STACKS = ("readWrite",)
RIGHTS_WITHOUT_TABLES = ("readWrite", "dbAdmin")
"""Where the database is the stack's own, as for a workload file."""

LAYOUT = 4
"""Raise it when the way in which tables are laid out changes: kept data are made again."""

JOURNAL = CommitLog(
    end=lambda location: journal.end(location.data),
    commits=lambda location, since, until: journal.commits_between(location.data, since, until, DATABASE),
)
"""SecantusDB's. MongoDB compresses its own, and counts what is committed."""


def program(start: ServiceStart) -> ServerProgram:
    """A private server: mongod where it is installed, else SecantusDB.

    Stacks log in by a password that is new at each start, and have rights to the documents of one database alone.

    Raises:
        Problem: there is neither on this machine, or no such variant.
    """
    assert_installed(missing_server())
    arguments_of(TITLE, {}, start.variant)
    installed = installed_program()
    if installed is None:
        raise Problem("the server of the MongoDB protocol was removed from PATH meanwhile", "run it again")

    password = secrets.token_urlsafe(PASSWORD_BYTES)

    def client(location: Location) -> MongodbClient:
        server = f"mongodb://{location.host}:{location.port}/{DATABASE}"
        return MongodbClient(server, package=installed.package, login=lambda: _labs_login(location))

    def fill(location: Location, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        with closing(client(location)) as loading:
            loading.load(tables, on_rows)
            lab_password = secrets.token_urlsafe(PASSWORD_BYTES)
            loading.add_user(LABS_DATABASE, LABS_USER, lab_password, "root")
        write_secret(location.data / LABS_LOGIN_FILE, lab_password)

    def admit_stacks(location: Location) -> None:
        rights = RIGHTS_OF_STACKS if start.tables else RIGHTS_WITHOUT_TABLES
        with closing(client(location)) as lab_client:
            lab_client.add_user(DATABASE, USER, password, *rights)

    def run(location: Location, files: Sequence[Path]) -> None:
        with closing(client(location)) as loading:
            load(loading, files)

    return ServerProgram(
        name=NAME,
        title=installed.title,
        data_recipe=DataRecipe(
            key=(NAME, installed.version, LAYOUT),
            command=installed.loading_command,
            fill=fill,
            run=run,
        ),
        command=installed.command,
        # The client waits for a server that is not there yet longer than it takes to start.
        is_ready=lambda location: listens(location.port, location.host) and answers(client(location)),
        client=client,
        admit_stacks=admit_stacks,
        url=lambda location: f"mongodb://{USER}:{password}@{location.host}:{location.port}/{DATABASE}",
        settings=installed.settings,
        end_signal=SIGKILL,
        commit_log=None if installed.is_mongod else JOURNAL,
        why_not_held=installed.why_not_held,
        loses_when_killed=installed.loses_when_killed,
    )


def _labs_login(location: Location) -> Mapping[str, Any]:
    """The lab's login; nothing while the data are made, when there are no users yet."""
    file = location.data / LABS_LOGIN_FILE
    if not file.exists():
        return {}
    return {"username": LABS_USER, "password": file.read_text(encoding="ascii"), "authSource": LABS_DATABASE}
