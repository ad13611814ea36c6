"""The job `call-batch`: calls to a server, shared out over as many tasks as may wait at once."""

import asyncio
import os

import aiohttp

TIMEOUT_SECONDS = 30


async def main() -> None:
    """Share the calls out, and wait for the last answer."""
    url = os.environ["UPSTREAM_URL"]
    concurrency = int(os.environ["CONCURRENCY"])
    calls = iter(range(int(os.environ["CALLS"])))
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout, raise_for_status=True) as session:

        async def work() -> None:
            for _ in calls:
                async with session.get(url) as answer:
                    await answer.read()

        async with asyncio.TaskGroup() as tasks:
            for _ in range(concurrency):
                tasks.create_task(work())
