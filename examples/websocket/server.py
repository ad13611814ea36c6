"""A server of WebSockets that keeps to a plan: what it answers, and when, is known. It needs Tornado.

    python3 server.py PORT [STALL_EVERY]

/echo sends each message back, /chat to all that are connected. /ask answers a question by its id, an even one after
20 ms and an odd one at once: answers overtake each other. With STALL_EVERY = N, every Nth answer of /ask comes after
400 ms.
"""

import asyncio
import contextlib
import itertools
import json
import sys
from typing import ClassVar

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application
from tornado.websocket import WebSocketClosedError, WebSocketHandler

EVEN_SECONDS, STALL_SECONDS = 0.02, 0.4

numbers = itertools.count(1)


class Echo(WebSocketHandler):
    """Sends each message back."""

    async def on_message(self, message: str | bytes) -> None:
        """Send it."""
        await self.write_message(message, binary=isinstance(message, bytes))


class Chat(WebSocketHandler):
    """Sends each message on to all that are connected."""

    everyone: ClassVar[set["Chat"]] = set()

    def open(self, *_args: str, **_kwargs: str) -> None:
        """Join."""
        self.set_nodelay(True)  # else a copy waits for the acknowledgement of the one before it
        self.everyone.add(self)

    def on_close(self) -> None:
        """Leave."""
        self.everyone.discard(self)

    def on_message(self, message: str | bytes) -> None:
        """Send it on."""
        for each in self.everyone:
            with contextlib.suppress(WebSocketClosedError):  # it may have left
                each.write_message(message, binary=isinstance(message, bytes))


class Ask(WebSocketHandler):
    """Answers questions by their ids. A question of 0 is none: it ends the connection with a code."""

    stall_every = 0

    def on_message(self, message: str | bytes) -> None:
        """Answer when its time has come."""
        question = json.loads(message)
        if question["number"] == 0:
            self.close(4000, "0 is no question")
            return
        is_stalled = self.stall_every and next(numbers) % self.stall_every == 0
        seconds = STALL_SECONDS if is_stalled else EVEN_SECONDS * (question["id"] % 2 == 0)
        answer = json.dumps({"id": question["id"], "double": 2 * question["number"]})
        asyncio.get_running_loop().call_later(seconds, self._send, answer)

    def _send(self, answer: str) -> None:
        with contextlib.suppress(WebSocketClosedError):  # the client may have left
            self.write_message(answer)


async def main() -> None:
    """Serve until the process ends."""
    Ask.stall_every = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    sockets = bind_sockets(int(sys.argv[1]), "127.0.0.1")
    HTTPServer(Application([("/echo", Echo), ("/ask", Ask), ("/chat", Chat)])).add_sockets(sockets)
    print(f"ws://127.0.0.1:{sockets[0].getsockname()[1]}/", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
