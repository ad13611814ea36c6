"""A server that programs call: it counts, and answers once as many calls wait at once as may."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CALLS, CONCURRENCY = 200, 5
ANSWER = b"x" * 512


@dataclass
class Seen:
    """What a server saw of those who call it."""

    connections: int = 0
    requests: int = 0
    under_way: int = 0
    most_under_way: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


@contextmanager
def server(status: int = 200, *, cut: bool = False) -> Iterator[tuple[str, Seen]]:
    """A server that counts, and answers once as many wait as may. The last answer is of this status; with `cut` it ends
    in the middle of its body, and its connection with it."""
    seen, all_wait = Seen(), threading.Barrier(CONCURRENCY, timeout=20)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer in one piece: in two, each second one would wait for a delayed ACK

        def setup(self) -> None:
            super().setup()
            with seen.lock:
                seen.connections += 1

        def do_GET(self) -> None:
            with seen.lock:
                seen.requests += 1
                seen.under_way += 1
                seen.most_under_way = max(seen.most_under_way, seen.under_way)
                last = seen.requests == CALLS
            all_wait.wait()
            body = ANSWER[:100] if cut and last else ANSWER
            self.close_connection |= cut and last
            with seen.lock:
                seen.under_way -= 1
            self.send_response(status if last else 200)
            self.send_header("Content-Length", str(len(ANSWER)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Not every request."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_address[1]}/", seen
        finally:
            running.shutdown()
            thread.join()
