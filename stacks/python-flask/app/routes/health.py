"""GET /health: whether requests can be served."""

from flask import Blueprint, Response

from app.caches import Cache
from app.databases.database import Database


def routes(database: Database | None, cache: Cache | None) -> Blueprint:
    blueprint = Blueprint("health", __name__)

    @blueprint.get("/health")
    def health() -> Response:
        if database:
            database.row("SELECT 1")
        if cache:
            cache.ping()
        return Response("ok", mimetype="text/plain")

    return blueprint
