"""What the environment says, with the defaults for what it does not."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    host: str
    port: int
    database_url: str
    workers: int
    db_pool: int

    @classmethod
    def from_environment(cls) -> "Settings":
        return cls(
            host=os.environ.get("HOST") or "127.0.0.1",
            port=_integer("PORT", 8080, minimum=0),
            database_url=os.environ.get("DATABASE_URL") or "",
            workers=_integer("WEB_CONCURRENCY", 1),
            db_pool=_integer("DB_POOL", 16),
        )


def _integer(name: str, default: int, minimum: int = 1) -> int:
    text = os.environ.get(name) or str(default)
    if not text.isdecimal() or int(text) < minimum:
        raise ValueError(f"{name} must be a whole number from {minimum}, not {text!r}")
    return int(text)
