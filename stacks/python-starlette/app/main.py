"""The application, as uvicorn imports it."""

import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypedDict

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from app import items
from app.settings import Settings
from app.store import Store

logger = logging.getLogger("uvicorn.error")


class State(TypedDict):
    store: Store


@asynccontextmanager
async def lifespan(_app: Starlette) -> AsyncIterator[State]:
    settings = Settings.from_environment()
    async with Store.open(settings.database_url, settings.db_pool) as store:
        yield {"store": store}


async def health(_request: Request) -> Response:
    return PlainTextResponse("ok")  # uvicorn listens once lifespan has connected the database


async def database_error(request: Request, error: Exception) -> Response:
    logger.error("%s: %s", request.url.path, error)
    return PlainTextResponse("Internal Server Error", status_code=500)


app = Starlette(
    routes=[Route("/health", health), *items.routes],
    exception_handlers={sqlite3.Error: database_error},
    lifespan=lifespan,
)
