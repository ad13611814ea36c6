"""A server that sends prepared bytes, whatever it is asked."""

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

Reply = Callable[[str, str], Sequence[bytes]]
"""From the request line and the header lines, the pieces to send; an empty one closes the connection."""


@contextmanager
def answering(reply: Reply, pause: Callable[[], object] = lambda: None) -> Iterator[str]:
    """A server on a free port of loopback, as a URL. `pause` is called before each piece but the first."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=(listener, reply, pause), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)
            assert not thread.is_alive()


def _serve(listener: socket.socket, reply: Reply, pause: Callable[[], object]) -> None:
    with suppress(OSError):  # the listener is closed when the test ends
        while True:
            connection, _ = listener.accept()
            with connection, suppress(OSError):  # the client may go away in the middle of an answer
                connection.settimeout(10)
                _answer_all(connection, reply, pause)


def _answer_all(connection: socket.socket, reply: Reply, pause: Callable[[], object]) -> None:
    received = b""
    while True:
        while b"\r\n\r\n" not in received:
            more = connection.recv(65_536)
            if not more:
                return
            received += more
        head, _, received = received.partition(b"\r\n\r\n")
        line, _, headers = head.decode().partition("\r\n")
        for number, piece in enumerate(reply(line, headers)):
            if number:
                pause()
            if not piece:
                return
            connection.sendall(piece)


def answer(status: int = 200, body: bytes = b"", *headers: str) -> bytes:
    """An HTTP/1.1 answer, as bytes."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body
