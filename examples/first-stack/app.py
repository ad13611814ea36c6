"""random-item on SQLite: a Flask application for the first stack of your own."""

import os
import random
import sqlite3
import threading

from flask import Flask

COLUMNS = "id, uuid, name, hash_code, created_at"
DATABASE = os.environ["DATABASE_URL"].removeprefix("sqlite:///")

app = Flask(__name__)
local = threading.local()


def query(statement, parameters=()):
    """The first row, on this thread's own connection: read-only, since a trial that alters the data is refused."""
    if not hasattr(local, "connection"):
        local.connection = sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True)
        local.connection.row_factory = sqlite3.Row
    return local.connection.execute(statement, parameters).fetchone()


@app.get("/health")
def health():
    query("SELECT 1")
    return "ready"


@app.get("/items/random")
def random_item():
    # The bounds may be read once. Nothing of a row may be kept: the lab changes rows while the load runs.
    if not hasattr(local, "bounds"):
        local.bounds = tuple(query("SELECT (SELECT min(id) FROM items), (SELECT max(id) FROM items)"))
    key = random.randint(*local.bounds)
    return dict(query(f"SELECT {COLUMNS} FROM items WHERE id >= ? ORDER BY id LIMIT 1", (key,)))


@app.get("/items/<uuid>")
def item(uuid):
    row = query(f"SELECT {COLUMNS} FROM items WHERE uuid = ?", (uuid,))
    return dict(row) if row else ("not found", 404)
