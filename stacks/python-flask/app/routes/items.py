"""The workload random-item: one row, picked by the database on each request; nothing of it is kept."""

import random
from datetime import datetime

from flask import Blueprint, abort

from app.databases.database import Database, Row
from app.once import once

COLUMNS = "id, uuid, name, hash_code, created_at"
PICK = f"SELECT {COLUMNS} FROM items WHERE id >= %s ORDER BY id LIMIT 1"
BY_UUID = f"SELECT {COLUMNS} FROM items WHERE uuid = %s"
# Two selects, because in SQLite min() and max() in one would scan the whole table.
BOUNDS = "SELECT (SELECT min(id) FROM items) AS first_id, (SELECT max(id) FROM items) AS last_id"


def routes(database: Database) -> Blueprint:
    blueprint = Blueprint("items", __name__)
    bounds = once(lambda: database.row(BOUNDS))

    @blueprint.get("/items/random")
    def random_item() -> Row:
        return _answer(database.row(PICK, random.randint(bounds()["first_id"], bounds()["last_id"])))

    @blueprint.get("/items/<uuid>")
    def item_by_uuid(uuid: str) -> Row:
        return _answer(database.row(BY_UUID, uuid))

    return blueprint


def _answer(item: Row | None) -> Row:
    if item is None:
        abort(404)
    if isinstance(item["created_at"], datetime):  # SQLite has it as text
        item["created_at"] = f"{item['created_at']:%Y-%m-%dT%H:%M:%SZ}"
    return item
