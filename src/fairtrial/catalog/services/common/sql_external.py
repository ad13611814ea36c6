"""A SQL database that somebody else runs: its URL is read and kept out of messages, its server's lock is the lease."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.external import ExternalService, external_service
from fairtrial.catalog.services.common.lease import SqlLock
from fairtrial.catalog.services.common.sql import Redact, SqlClient
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.catalog.tables import Table

ClientAt = Callable[[str, Redact], SqlClient]
"""The client for a URL, with what redacts its messages. Raises ValueError: the URL cannot be read."""


@contextmanager
def external_sql(
    name: str, title: str, client_at: ClientAt, url: str, tables: Sequence[Table], on_rows: RowsLoaded
) -> Iterator[ExternalService]:
    """The tables in the database that the URL names, removed at the end.

    Raises:
        Problem: the URL names no database, it cannot be reached, is too old or refuses, holds what is not the lab's, or
            another lab has it.
    """
    try:
        client = client_at(url, redactor(url)) if urlsplit(url).path.strip("/") else None
    except ValueError:  # its message would quote the URL
        client = None
    if client is None:
        raise Problem(
            f"the URL of {title} cannot be read, or names no database",
            "write it as SCHEME://USER:PASSWORD@HOST:PORT/DATABASE, special characters in percent encoding",
        )
    client.assert_new_enough()
    # The lock is taken before anything is looked at: the tables of another lab come and go.
    with SqlLock(client) as lock, external_service(name, url, client, lock, tables, on_rows) as service:
        yield service


def redactor(url: str) -> Redact:
    """A function that strips a driver's message of the URL, the password and the user."""
    parts = urlsplit(url)
    password, user = parts.password or "", parts.username or ""
    secrets = sorted({url, parts.netloc, password, unquote(password), parts.query}, key=len, reverse=True)

    def redact(message: str) -> str:
        for secret in secrets:
            if secret:
                message = message.replace(secret, "…")
        return printable(message.replace(f"@{user}", "@…") if user else message, 300)

    return redact
