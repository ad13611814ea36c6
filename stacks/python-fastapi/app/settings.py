"""What the environment says, with the defaults for what it does not."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    host: str
    port: int
    database_url: str
    cache_url: str
    upstream_url: str
    processes: int
    concurrency: int  # requests at once, in each process
    db_pool: int
    upstream_pool: int
    postgresql_driver: str
    json: str
    event_loop: str
    http_parser: str
    access_log: bool

    @classmethod
    def from_environment(cls) -> "Settings":
        return cls(
            host=os.environ.get("HOST") or "127.0.0.1",
            port=_integer("PORT", 8080, minimum=0),
            database_url=os.environ.get("DATABASE_URL") or "",
            cache_url=os.environ.get("CACHE_URL") or "",
            upstream_url=os.environ.get("UPSTREAM_URL") or "",
            processes=_integer("WEB_CONCURRENCY", 1),
            concurrency=_integer("MAX_THREADS", 16),
            db_pool=_integer("DB_POOL", 16),
            upstream_pool=_integer("UPSTREAM_POOL", 16),
            postgresql_driver=_one_of("POSTGRESQL_DRIVER", "asyncpg", "psycopg"),
            json=_one_of("JSON", "pydantic", "stdlib", "orjson"),
            event_loop=_one_of("EVENT_LOOP", "uvloop", "asyncio"),
            http_parser=_one_of("HTTP_PARSER", "httptools", "h11"),
            access_log=_one_of("ACCESS_LOG", "off", "on") == "on",
        )


def _one_of(name: str, default: str, *others: str) -> str:
    text = os.environ.get(name) or default
    if text not in (default, *others):
        raise ValueError(f"{name} must be one of {', '.join((default, *others))}, not {text!r}")
    return text


def _integer(name: str, default: int, minimum: int = 1) -> int:
    text = os.environ.get(name) or str(default)
    if not text.isdecimal() or int(text) < minimum:
        raise ValueError(f"{name} must be a whole number from {minimum}, not {text!r}")
    return int(text)
