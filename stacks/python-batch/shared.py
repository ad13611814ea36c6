"""A job's items shared out over threads."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")


def remaining(items: "SimpleQueue[Item]") -> Iterator[Item]:
    """Take items until there are none left."""
    while True:
        try:
            yield items.get_nowait()
        except Empty:
            return


def in_threads(count: int, work: Callable[[], None]) -> None:
    """Run `work` in so many threads, wait for all, and raise what one of them raised."""
    with ThreadPoolExecutor(count) as threads:
        for done in [threads.submit(work) for _ in range(count)]:
            done.result()
