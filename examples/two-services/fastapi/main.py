"""An order desk with FastAPI and asyncpg."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel


class Order(BaseModel):
    item: int
    quantity: int


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    url, connections = os.environ["DATABASE_URL"], int(os.environ.get("DB_POOL", "16"))
    async with asyncpg.create_pool(url, min_size=1, max_size=connections) as app.state.pool:
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/items/{number}")
async def look(number: int) -> dict:
    row = await app.state.pool.fetchrow("SELECT id, name, stock FROM items WHERE id = $1", number)
    if row is None:
        raise HTTPException(404)
    return dict(row)


@app.post("/orders", status_code=201)
async def place(order: Order) -> dict:
    insert = "INSERT INTO orders (item, quantity) VALUES ($1, $2) RETURNING id"
    return {"id": await app.state.pool.fetchval(insert, order.item, order.quantity)}
