"""Services that hold keys or documents, with tables for each and a stack's own reads and writes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pymongo
import redis
from pymemcache.client.base import Client as Memcached

from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.tables import Table
from fairtrial.catalog.workloads import redirect, survey_insert
from fairtrial.catalog.workloads.model import NoOptions
from fairtrial.catalog.workloads.random_item import items
from fairtrial.experiment.model import DatasetOptions

ROWS = 5_000


def unheard(_table: str, _rows: int) -> None:
    """Ignore the progress of loading."""


def links(seed: int = 1, rows: int = ROWS) -> Sequence[Table]:
    return redirect.data(DatasetOptions(rows=rows, seed=seed, gaps=0.2), NoOptions()).tables


def documents(seed: int = 1, rows: int = ROWS) -> Sequence[Table]:
    return [*items(DatasetOptions(rows=rows, seed=seed, gaps=0.2), rows).tables]


def surveys() -> Sequence[Table]:
    """A table without rows, whose keys the database assigns."""
    return survey_insert.data(DatasetOptions(), survey_insert.Options(index=True)).tables


def expected(table: Table) -> list[dict[str, Any]]:
    """The rows as they were generated, by key."""
    numbers = {name for name, kind in table.columns.items() if kind in ("key", "integer")}
    with table.rows.tsv() as lines:
        return [
            {
                name: int(text) if name in numbers else text
                for name, text in zip(table.columns, line.decode().rstrip("\n").split("\t"), strict=True)
            }
            for line in lines
        ]


@dataclass(frozen=True)
class Stored:
    """A service under test, and how a stack uses it."""

    name: str
    tables: Callable[..., Sequence[Table]]
    column: str
    """one that holds text"""
    read: Callable[[str, int], str | None]
    """from the URL, the text of the row with this key"""
    write: Callable[[str, int, str], object]
    """to the URL: another text into that row"""
    variant: str = "default"

    def __str__(self) -> str:
        return f"{self.name}-{self.variant}"

    @property
    def service(self) -> Service:
        return pick_service(self.name)


def _redis_read(url: str, key: int) -> str | None:
    with redis.Redis.from_url(url, decode_responses=True) as client:
        value: Any = client.get(f"link:{key}")
        return str(value) if value is not None else None


def _redis_write(url: str, key: int, text: str) -> None:
    with redis.Redis.from_url(url) as client:
        client.set(f"link:{key}", text)


def memcached(url: str) -> Memcached:
    parts = urlsplit(url)
    return Memcached((parts.hostname, parts.port), timeout=30)


def _memcached_read(url: str, key: int) -> str | None:
    value = memcached(url).get(f"link:{key}")
    return value.decode() if value is not None else None


def _memcached_write(url: str, key: int, text: str) -> None:
    memcached(url).set(f"link:{key}", text.encode(), noreply=False)


def _mongodb_read(url: str, key: int) -> str | None:
    with pymongo.MongoClient[dict[str, Any]](url) as client:
        document = client.get_default_database().items.find_one({"_id": key})
        return document["name"] if document else None


def _mongodb_write(url: str, key: int, text: str) -> None:
    with pymongo.MongoClient[dict[str, Any]](url) as client:
        client.get_default_database().items.update_one({"_id": key}, {"$set": {"name": text}})


STORES = [
    Stored("redis", links, "url", _redis_read, _redis_write),
    Stored("redis", links, "url", _redis_read, _redis_write, variant="append-only-always"),
    Stored("memcached", links, "url", _memcached_read, _memcached_write),
    Stored("mongodb", documents, "name", _mongodb_read, _mongodb_write),
]
