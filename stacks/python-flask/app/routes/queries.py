"""The workloads query-mix, of short queries and long ones, and query-chain, a long one and then many short ones."""

import re

from flask import Blueprint, abort

from app.databases.database import Database, Row

LONGEST_MILLISECONDS = 10_000
MOST_SHORT = 1000
SHORT = "SELECT 1 AS value"


def routes(database: Database) -> Blueprint:
    blueprint = Blueprint("queries", __name__)

    @blueprint.get("/queries/short")
    def short() -> Row:
        return database.row(SHORT)

    @blueprint.get("/queries/long/<milliseconds>")
    def long(milliseconds: str) -> Row:
        length = _whole_number(milliseconds, 1, LONGEST_MILLISECONDS)
        database.row(database.dialect.sleep, length / 1000)
        return {"slept": length}

    @blueprint.get("/queries/chain/<milliseconds>/<short>")
    def chain(milliseconds: str, short: str) -> Row:
        length, count = _whole_number(milliseconds, 1, LONGEST_MILLISECONDS), _whole_number(short, 0, MOST_SHORT)
        database.row(database.dialect.sleep, length / 1000)
        return {"slept": length, "sum": sum(database.row(SHORT)["value"] for _ in range(count))}

    return blueprint


def _whole_number(text: str, least: int, most: int) -> int:
    if not re.fullmatch("[0-9]{1,5}", text) or not least <= int(text) <= most:
        abort(400)
    return int(text)
