"""The database that DATABASE_URL names. Its driver is imported, and no other."""

from importlib import import_module

from app.databases.database import Database

MODULES = {"sqlite": "sqlite", "postgresql": "postgresql", "mysql": "mariadb"}
"""Modules of this package, by the URL's scheme: each has `dialect` and `connector(url)`."""


def open_database(url: str, connections: int, *, keeps: bool) -> Database:
    """A pool of so many connections. They are opened when they are needed, and kept; or closed after each use."""
    scheme = url.partition(":")[0]
    if scheme not in MODULES:
        raise ValueError(f"DATABASE_URL must begin with one of {', '.join(MODULES)}, not {scheme!r}")
    module = import_module(f"app.databases.{MODULES[scheme]}")
    return Database(module.connector(url), module.DIALECT, connections, keeps=keeps)
