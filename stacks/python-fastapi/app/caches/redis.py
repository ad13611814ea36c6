"""Redis, by redis-py."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from redis.asyncio import BlockingConnectionPool, Redis

TIMEOUT_SECONDS = 5


class RedisCache:
    def __init__(self, client: Redis) -> None:
        self._client = client

    async def get(self, key: str) -> str | None:
        return await self._client.get(key)

    async def put(self, key: str, value: str, seconds: int) -> None:
        await self._client.set(key, value, ex=seconds)

    async def ping(self) -> None:
        await self._client.ping()


@asynccontextmanager
async def open_cache(url: str, connections: int) -> AsyncIterator[RedisCache]:
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=TIMEOUT_SECONDS,
        socket_timeout=TIMEOUT_SECONDS,
        decode_responses=True,
    )
    async with Redis.from_pool(pool) as client:
        yield RedisCache(client)
