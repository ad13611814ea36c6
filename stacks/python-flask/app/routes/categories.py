"""The workload categories: all of them, read from the database on each request."""

from flask import Blueprint

from app.databases.database import Database, Row

CATEGORIES = "SELECT id, name, slug, description FROM categories ORDER BY id"


def routes(database: Database) -> Blueprint:
    blueprint = Blueprint("categories", __name__)

    @blueprint.get("/categories")
    def categories() -> list[Row]:
        return database.rows(CATEGORIES)

    return blueprint
