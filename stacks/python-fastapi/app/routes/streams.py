"""The workload stream: server-sent events with a pause between them."""

from asyncio import sleep
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

router = APIRouter()


class Event(BaseModel):
    number: int
    text: str


@router.get("/stream/{events}/{milliseconds}")
async def stream(
    events: Annotated[int, Path(ge=1, le=1000)], milliseconds: Annotated[int, Path(ge=1, le=10_000)]
) -> StreamingResponse:
    """The response is cancelled, and with it the pause, when the client goes away."""
    return StreamingResponse(
        _events(events, milliseconds / 1000),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-cache"},
    )


async def _events(count: int, pause_seconds: float) -> AsyncIterator[str]:
    for number in range(count):
        if number:
            await sleep(pause_seconds)
        event = Event(number=number, text="Hello, World!")
        yield f"id: {number}\ndata: {event.model_dump_json()}\n\n"
    yield "data: [DONE]\n\n"
