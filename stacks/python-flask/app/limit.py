"""How many requests of a process are worked on at once."""

from collections.abc import Callable, Iterable
from threading import BoundedSemaphore

Application = Callable[[dict, Callable], Iterable[bytes]]


class ConcurrencyLimit:
    """WSGI middleware: with `most` requests in the application, others wait for their turn.

    Only under gevent do they ever wait here, as it starts a fiber for each connection. The other workers have no more
    threads than `most`, or process one request at a time.
    """

    def __init__(self, application: Application, most: int) -> None:
        self._application = application
        self._turns = BoundedSemaphore(most)

    def __call__(self, environ: dict, start_response: Callable) -> Iterable[bytes]:
        with self._turns:
            return self._application(environ, start_response)
