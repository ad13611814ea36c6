"""The job `task-creation`: tasks that all exist at once. Each says that it is there, and waits until it may end."""

import asyncio
import os
import sys


async def main() -> None:
    """Start the tasks, wait until all may end, and for their end."""
    may_end = asyncio.Event()
    reader, writer = await asyncio.open_unix_connection(os.environ["GATHERING"])

    async def task() -> None:
        writer.write(b".")
        await may_end.wait()

    async with asyncio.TaskGroup() as tasks:
        for _ in range(int(os.environ["TASKS"])):
            tasks.create_task(task())
        may = await reader.read(1)
        may_end.set()
    writer.close()
    if not may:
        sys.exit("the gathering ended before all were there")
