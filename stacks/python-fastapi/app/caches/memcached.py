"""memcached, by aiomcache."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aiomcache


class MemcachedCache:
    def __init__(self, client: aiomcache.Client) -> None:
        self._client = client

    async def get(self, key: str) -> str | None:
        value = await self._client.get(key.encode())
        return None if value is None else value.decode()

    async def put(self, key: str, value: str, seconds: int) -> None:
        await self._client.set(key.encode(), value.encode(), exptime=seconds)

    async def ping(self) -> None:
        await self._client.version()


@asynccontextmanager
async def open_cache(url: str, connections: int) -> AsyncIterator[MemcachedCache]:
    parts = urlsplit(url)
    client = aiomcache.Client(parts.hostname, parts.port or 11211, pool_size=connections)
    try:
        yield MemcachedCache(client)
    finally:
        await client.close()
