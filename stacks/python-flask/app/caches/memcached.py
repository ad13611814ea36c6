"""memcached, by pymemcache."""

from urllib.parse import urlsplit

from pymemcache import PooledClient

TIMEOUT_SECONDS = 5


class MemcachedCache:
    def __init__(self, url: str, connections: int) -> None:
        parts = urlsplit(url)
        # A request that finds all connections taken is an error: there are as many as requests at once.
        self._client = PooledClient(
            (parts.hostname, parts.port or 11211),
            max_pool_size=connections,
            connect_timeout=TIMEOUT_SECONDS,
            timeout=TIMEOUT_SECONDS,
            no_delay=True,
        )

    def get(self, key: str) -> str | None:
        value = self._client.get(key)
        return None if value is None else value.decode()

    def put(self, key: str, value: str, seconds: int) -> None:
        self._client.set(key, value.encode(), expire=seconds)

    def ping(self) -> None:
        self._client.version()


open_cache = MemcachedCache
