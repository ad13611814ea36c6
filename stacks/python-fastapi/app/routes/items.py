"""The workload random-item: one row, picked by the database on each request; nothing of it is kept."""

import random
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, HTTPException
from pydantic import AfterValidator, BaseModel

from app.databases.database import Database, Row
from app.once import Once
from app.services import UsesDatabase

COLUMNS = "id, uuid, name, hash_code, created_at"
PICK = f"SELECT {COLUMNS} FROM items WHERE id >= $1 ORDER BY id LIMIT 1"
BY_UUID = f"SELECT {COLUMNS} FROM items WHERE uuid = $1"
BOUNDS = "SELECT min(id) AS first_id, max(id) AS last_id FROM items"

router = APIRouter()


def _in_utc(moment: datetime) -> datetime:
    """MariaDB's times have no zone, and are in UTC."""
    return moment.replace(tzinfo=UTC)


class Item(BaseModel):
    id: int
    uuid: str
    name: str
    hash_code: str
    created_at: Annotated[datetime, AfterValidator(_in_utc)]


async def _read_bounds(database: Database) -> tuple[int, int]:
    bounds = await database.row(BOUNDS)
    return bounds["first_id"], bounds["last_id"]


bounds = Once(_read_bounds)


@router.get("/items/random")
async def random_item(database: UsesDatabase) -> Item:
    first_id, last_id = await bounds.value(database)
    return _item(await database.row(PICK, random.randint(first_id, last_id)))


@router.get("/items/{uuid}")
async def item_by_uuid(uuid: str, database: UsesDatabase) -> Item:
    return _item(await database.row(BY_UUID, uuid))


def _item(row: Row | None) -> Item:
    if row is None:
        raise HTTPException(404)
    return Item.model_validate(row)
