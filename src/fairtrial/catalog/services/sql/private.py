"""A database server of the lab's own: started on a copy of data that were loaded once."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairtrial.base.cache.once import made_once
from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Counters, RowsLoaded
from fairtrial.catalog.services.private.folder import run_folder
from fairtrial.catalog.services.private.server import PrivateServer, copy_folder
from fairtrial.catalog.services.sql.recipe import USER, Place, Recipe, assert_installed
from fairtrial.catalog.tables import Table, tables_sha256
from fairtrial.record.model import ServiceIdentity

PASSWORD_BYTES = 18


class PrivateDatabase:
    """A running server with the tables; `url` is what stacks get as DATABASE_URL."""

    def __init__(
        self, recipe: Recipe, tables: Sequence[Table], variant: str, on_rows: RowsLoaded, folder: Path
    ) -> None:
        self._recipe, self._tables, self._on_rows = recipe, tables, on_rows
        self._server = _server(recipe, folder, recipe.of_variant(variant))
        self._password = secrets.token_urlsafe(PASSWORD_BYTES)
        self._place = Place(self._server.data, self._server.port)
        self._lab = recipe.lab(self._place)
        self.url = f"{recipe.scheme}://{USER}:{self._password}@{LOOPBACK}:{self._server.port}/{USER}"
        self._server.start(self._ready_made())
        try:
            self._open()
            self.identity = ServiceIdentity(
                name=recipe.name,
                product=recipe.version() or recipe.title,
                variant=variant,
                where="private",
                settings=dict(recipe.settings(self._lab)),
            )
        except BaseException:
            self.stop()
            raise

    def _ready_made(self) -> Path:
        return _loaded_data(self._recipe, self._tables, self._on_rows)

    def _open(self) -> None:
        self._recipe.let_in(self._place, self._password)
        self._altering_at_start = self._lab.altering()

    def stop(self) -> None:
        """Stop the server."""
        self._server.stop()

    @property
    def pid(self) -> int | None:
        """The guard of the server."""
        return self._server.pid

    def fault(self) -> str | None:
        """How the server ended, if it did."""
        return self._server.fault()

    def altered(self) -> bool:
        """Whether the stacks' user wrote rows or changed tables; true of a server that cannot be asked."""
        try:
            return self._lab.altering() != self._altering_at_start
        except Problem:
            return True

    def reset(self) -> None:
        """Start it anew, on the same port, on a new copy of the data."""
        self._server.restart(self._ready_made())
        self._open()

    def counters(self) -> Counters:
        """Of the stacks' user, since the start or `reset`; nothing of a server that cannot be asked."""
        try:
            return self._lab.counters()
        except Problem:
            return {}

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """All rows of a table."""
        return self._lab.rows(_named(self._tables, table))

    def change(self, table: str, key: int, column: str, value: str) -> None:
        """Set one column of one row, as another user than the stacks'."""
        self._lab.change(_named(self._tables, table), key, column, value)


@contextmanager
def private(
    recipe: Recipe, variants: Mapping[str, str], tables: Sequence[Table], variant: str, on_rows: RowsLoaded
) -> Iterator[PrivateDatabase]:
    """Bring a server up with the tables, and down again.

    Raises:
        Problem: it is not installed, there is no such variant, it does not start, or the tables cannot be loaded.
    """
    assert_installed(recipe)
    if variant != "default" and variant not in variants:
        known = ", ".join(["default", *variants])
        raise Problem(f"{recipe.title} has no variant {variant!r}; there are: {known}", "name one of these")
    with run_folder(recipe.name) as folder:
        service = PrivateDatabase(recipe, tables, variant, on_rows, folder)
        try:
            yield service
        finally:
            service.stop()


def _server(recipe: Recipe, folder: Path, further: Sequence[str]) -> PrivateServer:
    return PrivateServer(
        recipe.title,
        folder,
        lambda data, port: recipe.command(Place(data, port), further),
        lambda port: recipe.is_ready(Place(folder / "data", port)),
        leftovers=recipe.leftovers,
        end_signal=recipe.end_signal,
    )


def _loaded_data(recipe: Recipe, tables: Sequence[Table], on_rows: RowsLoaded) -> Path:
    """The server's data with the tables in them, from the cache or made now."""

    def make(kept: Path) -> None:
        with run_folder(recipe.name) as folder:
            recipe.initialise(folder)
            with _server(recipe, folder, recipe.while_loading()) as server:
                server.start()
                place = Place(server.data, server.port)
                with server.being_filled():
                    recipe.prepare(place)
                    recipe.lab(place).load(tables, on_rows)
                server.end_cleanly(recipe.clean_end_signal)
            copy_folder(folder / "data", kept / "data")

    name = "-".join([recipe.name, *(table.name for table in tables)])
    sha256 = tables_sha256(tables, recipe.name, recipe.version(), recipe.layout)
    return made_once("datasets", name, sha256, make) / "data"


def _named(tables: Sequence[Table], name: str) -> Table:
    return next(table for table in tables if table.name == name)
