"""The workload fan-out: one call to the upstream in each request."""

import logging

import aiohttp
from fastapi import APIRouter, HTTPException
from pydantic import BaseModel

from app.services import UsesUpstream

router = APIRouter()
logger = logging.getLogger("uvicorn.error")


class UpstreamAnswer(BaseModel):
    status: int
    bytes: int


@router.get("/fan-out")
async def fan_out(upstream: UsesUpstream) -> UpstreamAnswer:
    try:
        status, length = await upstream.call()
    except (aiohttp.ClientError, TimeoutError) as error:
        logger.error("the upstream: %r", error)
        raise HTTPException(502) from error
    return UpstreamAnswer(status=status, bytes=length)
