"""An order desk on SQLite: items with a stock, and orders that take from it. It stands for an API of your own."""

import json
import os
import re
import sqlite3
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock

FORGETS = int(os.environ.get("FORGETS", "0"))
"""One order in so many is accepted and not stored, as the variant `forgetful` does to show how it is found out."""

database = sqlite3.connect(
    os.environ["DATABASE_URL"].removeprefix("sqlite:///"), check_same_thread=False, isolation_level=None
)
one_at_a_time = Lock()
orders = count(1)


def item(number: int) -> dict[str, object] | None:
    with one_at_a_time:
        row = database.execute("SELECT id, name FROM items WHERE id = ?", [number]).fetchone()
    return None if row is None else {"id": row[0], "name": row[1]}


def store(number: int, quantity: int) -> None:
    with one_at_a_time:
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT INTO orders (item, quantity) VALUES (?, ?)", [number, quantity])
        database.execute("UPDATE items SET stock = stock - ? WHERE id = ?", [quantity, number])
        database.execute("COMMIT")


class OrderDesk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle(self) -> None:
        with suppress(ConnectionResetError):  # whoever asked has gone
            super().handle()

    def do_GET(self) -> None:
        asked = re.fullmatch(r"/items/(\d+)", self.path)
        found = item(int(asked[1])) if asked else None
        if self.path == "/healthz":
            self.answer(200, {"ok": True})
        elif found:
            self.answer(200, found)
        else:
            self.answer(404, {"error": "there is no such item"})

    def do_POST(self) -> None:
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not FORGETS or next(orders) % FORGETS:
            store(order["item"], order["quantity"])
        self.answer(201, {"status": "accepted", "item": order["item"]})

    def answer(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
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


ThreadingHTTPServer(
    (os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080"))), OrderDesk
).serve_forever()
