"""The application, as uvicorn imports it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError

from app.caches import open_cache
from app.databases import open_database
from app.limit import ConcurrencyLimit
from app.responses import response_class
from app.routes import (
    articles,
    categories,
    fan_out,
    health,
    items,
    pages,
    plaintext,
    queries,
    several,
    streams,
    units,
)
from app.services import State
from app.settings import Settings
from app.upstream import open_upstream

settings = Settings.from_environment()


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[State]:
    async with AsyncExitStack() as services:
        database = cache = upstream = None
        if settings.database_url:
            database = await services.enter_async_context(open_database(settings))
        if settings.cache_url:
            cache = await services.enter_async_context(open_cache(settings.cache_url, settings.concurrency))
        if settings.upstream_url:
            upstream = await services.enter_async_context(open_upstream(settings.upstream_url, settings.upstream_pool))
        yield {"database": database, "cache": cache, "upstream": upstream}


async def bad_request(_request: Request, _error: Exception) -> Response:
    return Response("Bad Request", status_code=400, media_type="text/plain")


app = FastAPI(
    lifespan=lifespan,
    exception_handlers={RequestValidationError: bad_request},
    openapi_url=None,  # and with it the pages of documentation
    **response_class(settings.json),
)
app.add_middleware(ConcurrencyLimit, most=settings.concurrency)
for module in (articles, categories, fan_out, health, items, pages, plaintext, queries, several, streams, units):
    app.include_router(module.router)
