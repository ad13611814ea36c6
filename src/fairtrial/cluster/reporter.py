"""An object in a worker that says by events that it has something to tell, so that nobody asks again and again."""

import threading
from collections.abc import Iterator, Mapping
from secrets import token_hex
from typing import Any

from fairtrial.cluster.connection import LOOK_EVERY_SECONDS, Cluster, Program


class Reporter:
    """Such an object, which lives as long as this one, this process and the worker: what `start` of a program returns.

    `start` takes the topic of its events beside the arguments, and the object has a method `take`.
    """

    def __init__(self, cluster: Cluster, worker: str, program: Program, **arguments: Any) -> None:
        """Start it."""
        self._cluster, self._topic = cluster, f"fairtrial-{program}-{token_hex(8)}"
        self._news = threading.Event()
        self.is_released = False
        cluster.subscribe(self._topic, self._news.set)
        self._held = cluster.hold(worker, program, "start", topic=self._topic, **arguments)

    def call(self, method: str, *arguments: Any) -> Any:
        """As `RemoteObject.call`, and with its errors."""
        return self._held.call(method, *arguments)

    def reports(self) -> Iterator[Mapping[str, Any]]:
        """What `take` returns, whenever there is news; ends when it is released.

        Raises:
            Problem: its worker is lost, or the connection to the scheduler.
        """
        while not self.is_released:
            if self._news.wait(LOOK_EVERY_SECONDS):
                self._news.clear()
                yield self._held.call("take")
            else:
                self._held.assert_there()

    def release(self) -> None:
        """Let it go. What it holds there ends."""
        self.is_released = True
        self._held.release()
        self._cluster.unsubscribe(self._topic)
