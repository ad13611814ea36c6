"""The job `task-switching`: asyncio tasks in a ring that hand a token round, each by a queue of its own."""

import asyncio
import os
import sys


async def main() -> None:
    """Start the tasks, hand the first of them the token, and give the last token back."""
    tasks, switches = int(os.environ["TASKS"]), int(os.environ["SWITCHES"])
    inboxes: list[asyncio.Queue[tuple[int, int]]] = [asyncio.Queue() for _ in range(tasks)]
    last: asyncio.Queue[int] = asyncio.Queue()
    reader, writer = await asyncio.open_unix_connection(os.environ["GATHERING"])

    async def hand_on(number: int) -> None:
        inbox, successor = inboxes[number], inboxes[(number + 1) % tasks]
        writer.write(b".")
        while True:
            token, left = await inbox.get()
            token = ((token ^ token >> 15) * 0x2C1B3C6D + number) & 0xFFFFFFFF
            if left == 1:
                last.put_nowait(token)
            else:
                successor.put_nowait((token, left - 1))

    async with asyncio.TaskGroup() as group:
        ring = [group.create_task(hand_on(number)) for number in range(tasks)]
        first = await reader.readline()
        if first:
            inboxes[0].put_nowait((int(first), switches))
            writer.write(b"%d\n" % await last.get())
        may_end = first and await reader.readline()
        for task in ring:
            task.cancel()
    writer.close()
    if not may_end:
        sys.exit("the gathering ended before all were there")
