"""Somebody else's SQL server, with an empty database."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from urllib.parse import urlsplit

from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Table
from tests.catalog.services.stacks_side import execute, tables
from tests.catalog.services.stores import unheard


class Somebody:
    """A private server without tables, in the part of somebody else's."""

    def __init__(self, running: RunningService) -> None:
        self.running, self.url, self.name = running, running.url, running.identity.name

    def loaded(self, url: str = "", few: Sequence[Table] = ()) -> AbstractContextManager[RunningService]:
        """The tables in it; all of them unless `few` are given."""
        connect = pick_service(self.name).connect
        assert connect is not None
        return connect(url or self.url, few or tables(), unheard)

    def tables(self) -> int:
        schema = "current_schema()" if self.name == "postgresql" else "database()"
        (count,) = execute(self.url, f"SELECT count(*) FROM information_schema.tables WHERE table_schema = {schema}")
        return int(count)

    def with_netloc(self, netloc: str) -> str:
        return urlsplit(self.url)._replace(netloc=netloc).geturl()
