"""Calls to the upstream, over connections that are kept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

TIMEOUT_SECONDS = 10


class Upstream:
    def __init__(self, url: str, session: ClientSession) -> None:
        self._url = url
        self._session = session

    async def call(self) -> tuple[int, int]:
        """The answer's status, and its length in bytes.

        Raises:
            aiohttp.ClientError, TimeoutError: the call failed, or took too long.
        """
        async with self._session.get(self._url, allow_redirects=False) as answer:
            return answer.status, len(await answer.read())


@asynccontextmanager
async def open_upstream(url: str, connections: int) -> AsyncIterator[Upstream]:
    async with ClientSession(
        connector=TCPConnector(limit=connections),
        cookie_jar=DummyCookieJar(),
        timeout=ClientTimeout(total=TIMEOUT_SECONDS),
    ) as session:
        yield Upstream(url, session)
