"""The job `task-switching`: threads in a ring that hand a token round, each by a queue of its own."""

import os
from functools import partial
from queue import SimpleQueue

from gathering import Gathering, in_gathered_threads

Inbox = SimpleQueue[tuple[int, int] | None]
"""Tokens, each with the steps that are left; None ends the thread."""


def main() -> None:
    """Start the threads, hand the first of them the token, and give the last token back."""
    tasks, switches = int(os.environ["TASKS"]), int(os.environ["SWITCHES"])
    inboxes: list[Inbox] = [SimpleQueue() for _ in range(tasks)]
    last: SimpleQueue[int] = SimpleQueue()

    def hand_on(number: int) -> None:
        inbox, successor = inboxes[number], inboxes[(number + 1) % tasks]
        while (received := inbox.get()) is not None:
            token, left = received
            token = ((token ^ token >> 15) * 0x2C1B3C6D + number) & 0xFFFFFFFF
            if left == 1:
                last.put(token)
            else:
                successor.put((token, left - 1))

    def lead(gathering: Gathering) -> None:
        inboxes[0].put((int(gathering.line()), switches))
        gathering.give_back(last.get())
        gathering.line()

    def release() -> None:
        for inbox in inboxes:
            inbox.put(None)

    in_gathered_threads([partial(hand_on, number) for number in range(tasks)], lead, release)
