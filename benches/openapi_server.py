"""A server that answers by an OpenAPI document, and refuses with 400, and the reason, what the document does not allow.

python -m benches.openapi_server openapi.json --seconds 60
"""

import argparse
import json
import signal
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

from benches.openapi_mock import OpenApiMock, Refused


class MockServer(ThreadingHTTPServer):
    """The mock at a free port of the loopback. `refusals` counts what was refused or could not be answered."""

    daemon_threads = True

    def __init__(self, mock: OpenApiMock) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mock, self.lock = mock, threading.Lock()
        self.refusals: Counter[str] = Counter()
        self.operations: Counter[tuple[str, str]] = Counter()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: MockServer

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.lock:
            try:
                operation = self.server.mock.check(self.command, self.path, headers, body)
                self.server.operations[operation.method, operation.template] += 1
                status, kind, content = self.server.mock.answer(operation)
            except Refused as error:
                status, kind, content = 400, "text/plain", str(error).encode()
            if status >= 400:
                self.server.refusals[f"{status} {self.command} {self.path[:200]}: {content.decode()}"] += 1
        self.send_response(status)
        if kind and status != 204:
            self.send_header("content-type", kind)
        if status != 204:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        if status != 204 and self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _answer

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    """Serve a document for some seconds, or until the process is ended, and say what was refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    call = parser.parse_args()
    text = call.document.read_text(encoding="utf-8")
    server = MockServer(OpenApiMock(json.loads(text) if text.startswith("{") else yaml.safe_load(text)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    end = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: end.set())
    end.wait(call.seconds)
    server.shutdown()
    print(f"operations: {len(server.operations):,} of {len(server.mock.operations):,}")
    for reason, number in server.refusals.most_common(50):
        print(f"{number:,} × {reason}")


if __name__ == "__main__":
    main()
