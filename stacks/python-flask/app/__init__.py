"""The application, as gunicorn imports it."""

from flask import Flask
from settings import Settings

from app.caches import open_cache
from app.compact_json import CompactJSON, OrjsonJSON
from app.databases import open_database
from app.limit import ConcurrencyLimit
from app.routes import articles, categories, fan_out, health, items, pages, plaintext, queries, several, units


def create_app() -> Flask:
    """The application with the routes whose services the environment names."""
    settings = Settings.from_environment()
    database = None
    if settings.database_url:
        database = open_database(settings.database_url, settings.db_pool, keeps=settings.keeps_connections)
    cache = open_cache(settings.cache_url, settings.threads) if settings.cache_url else None

    app = Flask(__name__)
    app.json = OrjsonJSON(app) if settings.orjson else CompactJSON(app)
    app.register_blueprint(health.routes(database, cache))
    app.register_blueprint(plaintext.routes())
    if settings.upstream_url:
        app.register_blueprint(fan_out.routes(settings.upstream_url, settings.upstream_pool))
    if database:
        for workload in (articles, categories, items, queries, several, units):
            app.register_blueprint(workload.routes(database))
    if database and cache:
        app.register_blueprint(pages.routes(database, cache))
    app.wsgi_app = ConcurrencyLimit(app.wsgi_app, settings.threads)
    return app
