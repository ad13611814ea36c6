"""What is read once, when it is first needed."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

Value = TypeVar("Value")


def once(read: Callable[[], Value]) -> Callable[[], Value]:
    """A function that returns what `read` returned. Who asks meanwhile waits; after an error it is read again."""
    lock = Lock()
    known: list[Value] = []

    def value() -> Value:
        if not known:
            with lock:
                if not known:
                    known.append(read())
        return known[0]

    return value
