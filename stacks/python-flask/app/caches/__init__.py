"""The cache that CACHE_URL names. Its client is imported, and no other."""

from importlib import import_module
from typing import Protocol

MODULES = {"redis": "redis", "memcached": "memcached"}
"""Modules of this package, by the URL's scheme."""


class Cache(Protocol):
    def get(self, key: str) -> str | None:
        """The value, or None if there is none."""

    def put(self, key: str, value: str, seconds: int) -> None:
        """Keep a value for so long."""

    def ping(self) -> None:
        """Raise an exception unless the cache answers."""


def open_cache(url: str, connections: int) -> Cache:
    """A client with a pool of so many connections. They are opened when they are needed, and kept."""
    scheme = url.partition(":")[0]
    if scheme not in MODULES:
        raise ValueError(f"CACHE_URL must begin with one of {', '.join(MODULES)}, not {scheme!r}")
    return import_module(f"app.caches.{MODULES[scheme]}").open_cache(url, connections)
