"""The database that DATABASE_URL names. Its driver is imported, and no other."""

from contextlib import AbstractAsyncContextManager
from importlib import import_module

from app.databases.database import Database
from app.settings import Settings

MODULES = {"postgresql": {"asyncpg": "postgresql", "psycopg": "postgresql_psycopg"}, "mysql": {"": "mariadb"}}
"""Modules of this package, by the URL's scheme and the driver."""


def open_database(settings: Settings) -> AbstractAsyncContextManager[Database]:
    """A pool of connections, which are kept."""
    scheme = settings.database_url.partition(":")[0]
    if scheme not in MODULES:
        raise ValueError(f"DATABASE_URL must begin with one of {', '.join(MODULES)}, not {scheme!r}")
    module = MODULES[scheme][settings.postgresql_driver if scheme == "postgresql" else ""]
    return import_module(f"app.databases.{module}").open_database(settings.database_url, settings.db_pool)
