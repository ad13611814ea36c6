"""The workload query-mix: a short query, and one during which the database sleeps."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel

from app.services import UsesDatabase

router = APIRouter()


class Short(BaseModel):
    value: int


class Long(BaseModel):
    slept: int


@router.get("/queries/short")
async def short(database: UsesDatabase) -> Short:
    return Short.model_validate(await database.row("SELECT 1 AS value"))


@router.get("/queries/long/{milliseconds}")
async def long(milliseconds: Annotated[int, Path(ge=1, le=10_000)], database: UsesDatabase) -> Long:
    await database.row(database.sleep, milliseconds / 1000)
    return Long(slept=milliseconds)
