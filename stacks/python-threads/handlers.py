"""The HTTP surface."""

import json
import sqlite3
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote

from store import Store

ITEM_PREFIX = "/items/"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # status line, headers and body leave in one write, not in three small packets
    disable_nagle_algorithm = True
    timeout = 65  # seconds a connection may be idle

    store: Store

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        try:
            if path == "/items/random":
                self._answer_item(self.store.random_item())
            elif path.startswith(ITEM_PREFIX):
                self._answer_item(self.store.item_by_uuid(unquote(path.removeprefix(ITEM_PREFIX))))
            elif path == "/health":
                self._answer(HTTPStatus.OK, b"ok", "text/plain")
            else:
                self._answer_nothing(HTTPStatus.NOT_FOUND)
        except sqlite3.Error as error:
            self.log_error("%s: %s", self.path, error)
            self._answer_nothing(HTTPStatus.INTERNAL_SERVER_ERROR)

    def _answer_item(self, item: dict | None) -> None:
        if item is None:
            self._answer_nothing(HTTPStatus.NOT_FOUND)
            return
        body = json.dumps(item, separators=(",", ":"), ensure_ascii=False).encode()
        self._answer(HTTPStatus.OK, body, "application/json")

    def _answer_nothing(self, status: HTTPStatus) -> None:
        self._answer(status, status.phrase.encode(), "text/plain")

    def _answer(self, status: HTTPStatus, body: bytes, content_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        pass  # errors only

    def log_error(self, format: str, *args: object) -> None:
        if args and isinstance(args[0], TimeoutError):
            return  # an idle connection was closed
        print("python-threads:", format % args, file=sys.stderr, flush=True)
