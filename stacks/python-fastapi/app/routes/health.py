"""GET /health: whether requests can be served."""

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse

router = APIRouter()


@router.get("/health")
async def health(request: Request) -> PlainTextResponse:
    if request.state.database:
        await request.state.database.row("SELECT 1")
    if request.state.cache:
        await request.state.cache.ping()
    return PlainTextResponse("ok")
