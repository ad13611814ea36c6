"""The workload transaction-mix: units of work of five weights, each on one connection, one statement after another."""

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel

from app.databases.database import Connection
from app.services import UsesDatabase

COUNT = "SELECT count(*) AS count FROM units"
COUNT_RED = "SELECT count(*) AS count FROM units WHERE label = 'red'"
INSERT = "INSERT INTO units (name, value, label) VALUES ('unit', 0, 'blue') RETURNING id"
INCREMENT = "UPDATE units SET value = value + 1 WHERE id = $1"

router = APIRouter()


class Units(BaseModel):
    units: int


@router.post("/units/{weight}")
async def unit(weight: str, database: UsesDatabase) -> Units:
    if weight not in UNITS:
        raise HTTPException(404)
    async with database.connection() as connection:
        return Units(units=await UNITS[weight](connection))


async def count(connection: Connection) -> int:
    return (await connection.row(COUNT))["count"]


async def insert(connection: Connection) -> int:
    """The row's id."""
    return (await connection.row(INSERT))["id"]


async def light(connection: Connection) -> int:
    units = await count(connection)
    await insert(connection)
    return units


async def moderate(connection: Connection) -> int:
    await connection.run("BEGIN")
    units = await count(connection)
    await count(connection)
    await insert(connection)
    await connection.run("ROLLBACK")
    return units


async def heavy(connection: Connection) -> int:
    await connection.run("BEGIN")
    units = await count(connection)
    await count(connection)
    await count(connection)
    await connection.run(INCREMENT, await insert(connection))
    await connection.run("COMMIT")
    return units


async def very_heavy(connection: Connection) -> int:
    await connection.run("BEGIN")
    units = await count(connection)
    await count(connection)
    await count(connection)
    await connection.row(COUNT_RED)
    unit_id = await insert(connection)
    await connection.run(INCREMENT, unit_id)
    await connection.run(INCREMENT, unit_id)
    await connection.run("COMMIT")
    return units


UNITS = {"very-light": count, "light": light, "moderate": moderate, "heavy": heavy, "very-heavy": very_heavy}
"""By weight: what is done on a connection; it returns the first count."""
