"""Redis, by redis-py."""

from redis import BlockingConnectionPool, Redis

TIMEOUT_SECONDS = 5


class RedisCache:
    def __init__(self, url: str, connections: int) -> None:
        pool = BlockingConnectionPool.from_url(
            url,
            max_connections=connections,
            timeout=TIMEOUT_SECONDS,
            socket_timeout=TIMEOUT_SECONDS,
            decode_responses=True,
        )
        self._client = Redis(connection_pool=pool)

    def get(self, key: str) -> str | None:
        return self._client.get(key)

    def put(self, key: str, value: str, seconds: int) -> None:
        self._client.set(key, value, ex=seconds)

    def ping(self) -> None:
        self._client.ping()


open_cache = RedisCache
