"""How many requests of a process are worked on at once."""

from asyncio import Semaphore

from starlette.types import ASGIApp, Receive, Scope, Send


class ConcurrencyLimit:
    """ASGI middleware: with `most` requests in the application, others wait for their turn."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._turns = Semaphore(most)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        async with self._turns:
            await self._app(scope, receive, send)
