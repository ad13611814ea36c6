"""The workload several-items: rows by primary key, by one select each, one after the other."""

import re

from flask import Blueprint, abort

from app.databases.database import Database, Row

NAME = "SELECT id, name FROM items WHERE id = %s"
IDS = re.compile(r"[0-9]{1,18}(?:,[0-9]{1,18}){0,99}")


def routes(database: Database) -> Blueprint:
    blueprint = Blueprint("several", __name__)

    @blueprint.get("/items/several/<ids>")
    def several_items(ids: str) -> list[Row]:
        if not IDS.fullmatch(ids):
            abort(400)
        return [_item(database, int(number)) for number in ids.split(",")]

    return blueprint


def _item(database: Database, number: int) -> Row:
    item = database.row(NAME, number)
    if item is None:
        abort(404)
    return item
