"""A small shop: pages of items, single items, and orders. It stands for an API of your own."""

import json
import os
import re
import secrets
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

PAGE = 20
KINDS = ("book", "cup")
ITEMS = {number: {"id": number, "name": f"item {number}", "kind": KINDS[number % 2]} for number in range(1, 401)}
TOKENS = set()
SORTED = os.environ.get("SORTED") == "1"


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle(self) -> None:
        with suppress(ConnectionResetError):  # whoever asked has gone
            super().handle()

    def do_GET(self) -> None:
        target = urlsplit(self.path)
        item = re.fullmatch(r"/items/(\d+)", unquote(target.path))
        if target.path == "/healthz":
            self.answer(200, {"ok": True})
        elif target.path == "/items":
            first = PAGE * (int(parse_qs(target.query).get("page", ["1"])[0]) - 1)
            self.answer(200, {"items": list(ITEMS.values())[first : first + PAGE], "total": len(ITEMS)})
        elif item and int(item[1]) in ITEMS:
            self.answer(200, ITEMS[int(item[1])])
        else:
            self.answer(404, {"error": "there is no such item"})

    def do_POST(self) -> None:
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/login":
            TOKENS.add(token := secrets.token_hex(16))
            self.answer(200, {"access_token": token})
        elif self.headers.get("Authorization", "").removeprefix("Bearer ") not in TOKENS:
            self.answer(401, {"error": "log in first"})
        elif self.path != "/orders" or order["item"] not in ITEMS or not isinstance(order["quantity"], int):
            self.answer(422, {"error": "that cannot be ordered"})
        else:
            self.answer(201, {"status": "accepted", "item": order["item"], "quantity": order["quantity"]})

    def answer(self, status: int, value: object) -> None:
        body = json.dumps(value, sort_keys=SORTED).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self._headers_buffer.append(b"\r\n" + body)
        self.wfile.write(b"".join(self._headers_buffer))
        self._headers_buffer = []

    def log_message(self, *_: object) -> None:
        """A line for each request would be measured, too."""


ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080"))), Shop).serve_forever()
