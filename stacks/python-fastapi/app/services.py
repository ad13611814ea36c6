"""The services that the environment names, as routes ask for them: 503 where one is not there."""

from typing import Annotated, Any, TypedDict

from fastapi import Depends, HTTPException, Request

from app.caches import Cache
from app.databases.database import Database
from app.upstream import Upstream


class State(TypedDict):
    database: Database | None
    cache: Cache | None
    upstream: Upstream | None


# Coroutines, because FastAPI calls plain functions in another thread.
async def _database(request: Request) -> Database:
    return _there(request.state.database)


async def _cache(request: Request) -> Cache:
    return _there(request.state.cache)


async def _upstream(request: Request) -> Upstream:
    return _there(request.state.upstream)


def _there(service: Any) -> Any:
    if service is None:
        raise HTTPException(503)
    return service


UsesDatabase = Annotated[Database, Depends(_database)]
UsesCache = Annotated[Cache, Depends(_cache)]
UsesUpstream = Annotated[Upstream, Depends(_upstream)]
