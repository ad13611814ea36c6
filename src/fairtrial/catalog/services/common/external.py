"""An external service: a database on a server that somebody else runs, loaded for the lab and emptied at the end."""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from typing import Protocol
from urllib.parse import urlsplit

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.client import Client, LoadedService
from fairtrial.catalog.services.common.lease import Lease
from fairtrial.catalog.services.model import RowsLoaded, RunningService, Service
from fairtrial.catalog.tables import Table
from fairtrial.record.identity import ServiceIdentity


class ExternalClient(Client, Protocol):
    """A client that can also tell what the lab made from what is somebody else's."""

    def assert_only_labs_data(self) -> None:
        """Raise Problem if the database holds anything that no lab made."""

    def clear(self, tables: Sequence[Table]) -> None:
        """Remove what a lab made, and leave a marker that says whose the `tables` are that are loaded next."""

    def remove(self) -> None:
        """Remove everything that a lab made, the marker last: it says whose the rest is if this is cut off."""


class ExternalService(LoadedService):
    """The tables in a database on somebody else's server."""

    pid = None
    _client: ExternalClient

    def __init__(
        self, name: str, url: str, client: ExternalClient, lease: Lease, tables: Sequence[Table], on_rows: RowsLoaded
    ) -> None:
        super().__init__(client, tables)
        self.url, self._lease, self._on_rows = url, lease, on_rows
        self.identity = ServiceIdentity(
            name=name, product=client.product(), where="external", settings=dict(client.settings())
        )

    def load(self) -> None:
        """Load the tables in place of what a lab made before.

        Raises:
            Problem: the server refused, or another lab has the database.
        """
        self._lease.hold()
        self._client.clear(self._tables)
        self._client.load(self._tables, self._on_rows)
        self.mark_loaded()

    def fault(self) -> str | None:
        """Why the server does not answer, or None."""
        try:
            self._client.ping()
        except Problem as problem:
            return problem.reason
        return None

    def altered(self, rows: bool = True) -> str:
        """Changes by anybody but the lab, in words; another lab may have done anything."""
        try:
            is_held = self._lease.is_held()
        except Problem:
            is_held = False
        return super().altered(rows) if is_held else "another lab may have had it"

    def reset(self) -> None:
        """Remove the tables and load them again.

        Raises:
            Problem: the server refused, or another lab has the database.
        """
        self._lease.evict_others()
        self.load()

    def end_sessions(self) -> None:
        """Does nothing: they are not the lab's to end, and what is counted late there is not demanded."""


@contextmanager
def external_service(
    name: str, url: str, client: ExternalClient, lease: Lease, tables: Sequence[Table], on_rows: RowsLoaded
) -> Iterator[ExternalService]:
    """Load the tables into the database, which has to be empty or marked as the lab's, and remove them at the end.

    Raises:
        Problem: the server cannot be reached or refuses, or the database holds something else or another lab has it.
    """
    with closing(client):
        try:
            client.assert_only_labs_data()
            lease.hold()
            try:
                service = ExternalService(name, url, client, lease, tables, on_rows)
                service.load()
                yield service
            finally:
                with suppress(Problem):  # what is left is marked: the next lab removes it
                    lease.hold()
                    client.remove()
        finally:
            lease.release()


def external(
    service: Service, url_from: str, tables: Sequence[Table], on_rows: RowsLoaded
) -> AbstractContextManager[RunningService]:
    """The service at the URL in the environment variable `url_from`.

    Messages never hold the URL: there may be a password in it.

    Raises:
        Problem: the variable is not set, or holds no URL of this service; or (when entered) the service refuses.
    """
    url = url_given(service, url_from)
    assert service.connect is not None
    return service.connect(url, tables, on_rows)


def url_given(service: Service, url_from: str) -> str:
    """The URL in the environment variable `url_from`.

    Raises:
        Problem: the variable is not set, or holds no URL of this service.
    """
    url = os.environ.get(url_from, "")
    if not url:
        raise Problem(
            f"[services.{service.name}] url_from: the environment variable {url_from} is not set",
            f"set it to the URL of a running server ({service.title}), or leave `url_from` out to have one started",
        )
    if _scheme(url) not in service.schemes or service.connect is None:
        allowed = ", ".join(f"{scheme}://" for scheme in service.schemes)
        raise Problem(
            f"[services.{service.name}] url_from: the value of {url_from} is not a URL of {service.title}",
            f"it has to begin with one of: {allowed}",
        )
    return url


def _scheme(url: str) -> str:
    try:
        return urlsplit(url).scheme
    except ValueError:  # its message would quote the URL
        return ""
