"""Starts the server: one process with a thread per connection, or several that share the listening socket."""

import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from http.server import ThreadingHTTPServer

from handlers import Handler
from settings import Settings
from store import Store, StoreError

DRAIN_SECONDS = 3
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Server(ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def __init__(self, address: tuple[str, int]) -> None:
        super().__init__(address, Handler)
        self._open: set[socket.socket] = set()
        # Several processes may wake for one connection: those that come late must not block in accept.
        self.socket.setblocking(False)

    def process_request(self, request: socket.socket, client_address: tuple[str, int]) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: socket.socket, client_address: tuple[str, int]) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def drain(self, seconds: float) -> None:
        """Ends idle connections at once; those that are being answered get up to `seconds`."""
        for connection in list(self._open):
            with suppress(OSError):  # it may be closed by now
                connection.shutdown(socket.SHUT_RD)
        deadline = time.monotonic() + seconds
        while self._open and time.monotonic() < deadline:
            time.sleep(0.01)


def serve(server: Server, settings: Settings) -> None:
    """Serves until a signal comes."""

    def stop(*_: object) -> None:
        # shutdown() waits for serve_forever, which this very thread runs.
        threading.Thread(target=server.shutdown).start()

    for number in SIGNALS:
        signal.signal(number, stop)
    Handler.store = Store(settings.database_url, settings.db_pool)
    server.serve_forever()
    server.server_close()
    server.drain(DRAIN_SECONDS)
    Handler.store.close()


def supervise(server: Server, settings: Settings) -> int:
    """Runs `settings.processes` workers until a signal comes, or one of them ends by itself."""
    stopping = False
    workers: set[int] = set()

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True
        for worker in workers:
            os.kill(worker, signal.SIGTERM)

    # A signal waits until all workers are there and are known.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    for _ in range(settings.processes):
        worker = os.fork()
        if worker == 0:
            status = 1
            try:
                for number in SIGNALS:
                    signal.signal(number, lambda *_: os._exit(0))
                signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
                serve(server, settings)
                status = 0
            except (OSError, ValueError, StoreError) as error:
                print(f"python-threads: {error}", file=sys.stderr, flush=True)
            finally:
                os._exit(status)
        workers.add(worker)
    server.server_close()
    for number in SIGNALS:
        signal.signal(number, stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    failed = False
    while workers:
        worker, wait_status = os.wait()
        workers.discard(worker)
        if wait_status != 0 and not failed:
            failed = True
            print(f"python-threads: worker {worker} ended with wait status {wait_status}", file=sys.stderr)
        if not stopping:
            stop()
    return 1 if failed else 0


def main() -> int:
    try:
        settings = Settings.from_environment()
        Store(settings.database_url, connections=1).close()  # what is wrong is said once, not by each worker
        server = Server((settings.host, settings.port))
        if settings.processes > 1:
            return supervise(server, settings)
        serve(server, settings)
    except (OSError, ValueError, StoreError) as error:
        print(f"python-threads: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
