"""The workload query-mix: a short query, and one during which the database sleeps."""

import re

from flask import Blueprint, abort

from app.databases.database import Database, Row

LONGEST_MILLISECONDS = 10_000


def routes(database: Database) -> Blueprint:
    blueprint = Blueprint("queries", __name__)

    @blueprint.get("/queries/short")
    def short() -> Row:
        return database.row("SELECT 1 AS value")

    @blueprint.get("/queries/long/<milliseconds>")
    def long(milliseconds: str) -> Row:
        if not re.fullmatch("[1-9][0-9]{0,4}", milliseconds) or int(milliseconds) > LONGEST_MILLISECONDS:
            abort(400)
        database.row(database.dialect.sleep, int(milliseconds) / 1000)
        return {"slept": int(milliseconds)}

    return blueprint
