"""How a private server that speaks the MongoDB protocol is started: mongod or SecantusDB."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from fairtrial.base.loopback import LOOPBACK, listens
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.client import answers
from fairtrial.catalog.services.common.installed import assert_installed
from fairtrial.catalog.services.common.private import KeptData, Location, ServerProgram, arguments_of
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.services.mongodb.client import NAME, TITLE, MongodbClient
from fairtrial.catalog.services.mongodb.own_documents import load
from fairtrial.catalog.services.mongodb.program import installed_program, missing
from fairtrial.catalog.tables import Table

DATABASE = "fairtrial"
LAYOUT = 1
"""Raise it when the way in which tables are laid out changes: kept data are made again."""


def program(_tables: Sequence[Table], variant: str) -> ServerProgram:
    """A private server: mongod where it is installed, else SecantusDB.

    Raises:
        Problem: there is neither on this machine, or no such variant.
    """
    assert_installed(missing())
    arguments_of(TITLE, {}, variant)
    installed = installed_program()
    if installed is None:
        raise Problem("the server of the MongoDB protocol was removed from PATH meanwhile", "run it again")

    def client(location: Location) -> MongodbClient:
        return MongodbClient(_url(location.port), package=installed.package)

    def fill(location: Location, tables: Sequence[Table], on_rows: RowsLoaded) -> None:
        with closing(client(location)) as loading:
            loading.load(tables, on_rows)

    def run(location: Location, files: Sequence[Path]) -> None:
        with closing(client(location)) as loading:
            load(loading, files)

    return ServerProgram(
        name=NAME,
        title=installed.title,
        kept=KeptData(
            key=(NAME, installed.version, LAYOUT),
            command=installed.loading_command,
            fill=fill,
            run=run,
        ),
        command=installed.command,
        # The client waits for a server that is not there yet longer than it takes to start.
        is_ready=lambda location: listens(location.port) and answers(client(location)),
        client=client,
        url=_url,
        settings=installed.settings,
        loses_when_killed=installed.loses_when_killed,
    )


def _url(port: int) -> str:
    return f"mongodb://{LOOPBACK}:{port}/{DATABASE}"
