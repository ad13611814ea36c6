"""What the environment says, with the defaults for what it does not.

It imports nothing of the application: gunicorn reads it before gevent has patched the standard library.
"""

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
    threads: int  # of each process
    concurrency: int  # requests at once, over all processes
    db_pool: int
    upstream_pool: int
    keeps_connections: bool  # to the database, after a request
    orjson: bool
    access_log: bool

    @classmethod
    def from_environment(cls) -> "Settings":
        processes = _integer("WEB_CONCURRENCY", 1)
        threads = _integer("MAX_THREADS", 16)
        return cls(
            host=os.environ.get("HOST") or "127.0.0.1",
            port=_integer("PORT", 8080, minimum=0),
            database_url=os.environ.get("DATABASE_URL") or "",
            cache_url=os.environ.get("CACHE_URL") or "",
            upstream_url=os.environ.get("UPSTREAM_URL") or "",
            processes=processes,
            threads=threads,
            concurrency=_integer("MAX_CONCURRENCY", processes * threads),
            db_pool=_integer("DB_POOL", 16),
            upstream_pool=_integer("UPSTREAM_POOL", 16),
            keeps_connections=_is_on("KEEP_CONNECTIONS", default="on"),
            orjson=_is_on("ORJSON"),
            access_log=_is_on("ACCESS_LOG"),
        )


def _is_on(name: str, default: str = "off") -> bool:
    text = os.environ.get(name) or default
    if text not in ("on", "off"):
        raise ValueError(f"{name} must be on or off, not {text!r}")
    return text == "on"


def _integer(name: str, default: int, minimum: int = 1) -> int:
    text = os.environ.get(name) or str(default)
    if not text.isdecimal() or int(text) < minimum:
        raise ValueError(f"{name} must be a whole number from {minimum}, not {text!r}")
    return int(text)
