"""What is read once, when it is first needed."""

from asyncio import Lock
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from app.databases.database import Database

Value = TypeVar("Value")


class Once(Generic[Value]):
    """A value that `read` reads from the database. Who asks meanwhile waits for it; after an error it is read again."""

    def __init__(self, read: Callable[[Database], Awaitable[Value]]) -> None:
        self._read = read
        self._lock = Lock()
        self._known: list[Value] = []

    async def value(self, database: Database) -> Value:
        if not self._known:
            async with self._lock:
                if not self._known:
                    self._known.append(await self._read(database))
        return self._known[0]
