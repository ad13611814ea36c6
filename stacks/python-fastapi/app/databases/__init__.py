"""The database that DATABASE_URL names. Its driver is imported, and no other."""

from contextlib import AbstractAsyncContextManager
from importlib import import_module

from app.databases.database import Database

MODULES = {"postgresql": "postgresql", "mysql": "mariadb"}
"""Modules of this package, by the URL's scheme."""


def open_database(url: str, connections: int) -> AbstractAsyncContextManager[Database]:
    """A pool of so many connections, which are kept."""
    scheme = url.partition(":")[0]
    if scheme not in MODULES:
        raise ValueError(f"DATABASE_URL must begin with one of {', '.join(MODULES)}, not {scheme!r}")
    return import_module(f"app.databases.{MODULES[scheme]}").open_database(url, connections)
