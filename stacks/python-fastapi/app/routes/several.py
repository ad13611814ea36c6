"""The workload several-items: rows by primary key, by one select each, one after the other."""

import re

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel

from app.services import UsesDatabase

NAME = "SELECT id, name FROM items WHERE id = $1"
IDS = re.compile(r"[0-9]{1,18}(?:,[0-9]{1,18}){0,99}")

router = APIRouter()


class NamedItem(BaseModel):
    id: int
    name: str


@router.get("/items/several/{ids}")
async def several_items(ids: str, database: UsesDatabase) -> list[NamedItem]:
    if not IDS.fullmatch(ids):
        raise HTTPException(400)
    items = []
    for number in ids.split(","):
        row = await database.row(NAME, int(number))
        if row is None:
            raise HTTPException(404)
        items.append(NamedItem.model_validate(row))
    return items
