"""The workloads query-mix, of short queries and long ones, and query-chain, a long one and then many short ones."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel

from app.services import UsesDatabase

SHORT = "SELECT 1 AS value"

Milliseconds = Annotated[int, Path(ge=1, le=10_000)]

router = APIRouter()


class Short(BaseModel):
    value: int


class Long(BaseModel):
    slept: int


class Chain(Long):
    sum: int


@router.get("/queries/short")
async def short(database: UsesDatabase) -> Short:
    return Short.model_validate(await database.row(SHORT))


@router.get("/queries/long/{milliseconds}")
async def long(milliseconds: Milliseconds, database: UsesDatabase) -> Long:
    await database.row(database.sleep, milliseconds / 1000)
    return Long(slept=milliseconds)


@router.get("/queries/chain/{milliseconds}/{short}")
async def chain(
    milliseconds: Milliseconds, short: Annotated[int, Path(ge=0, le=1000)], database: UsesDatabase
) -> Chain:
    await database.row(database.sleep, milliseconds / 1000)
    total = 0
    for _ in range(short):
        total += (await database.row(SHORT))["value"]
    return Chain(slept=milliseconds, sum=total)
