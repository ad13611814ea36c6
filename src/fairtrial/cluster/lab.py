"""A lab on a host of a cluster, as the lab here listens to it and tells it what to do."""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from secrets import token_hex
from typing import Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import LOOK_EVERY_SECONDS, Cluster

Message = Mapping[str, Any]


class RemoteLab:
    """A lab on the host of a worker. It ends with this object, this process, its worker, and either's connection to the
    scheduler."""

    def __init__(
        self, cluster: Cluster, worker: str, command: str, task: str, on_message: Callable[[Message], None]
    ) -> None:
        """Start it.

        Args:
            command: of Fairtrial, that it is.
            task: the first line that it reads.
            on_message: is called by a thread of its own with each message, and at last with one of the kind `lost`: the
                `problem` by which nothing more is to be heard.
        """
        self.worker = worker
        self._cluster, self._on_message = cluster, on_message
        self._topic = f"fairtrial-lab-{token_hex(8)}"
        self._news = threading.Event()
        self._released = False
        cluster.subscribe(self._topic, self._news.set)
        self._held = cluster.hold(worker, "lab", "start", command=command, topic=self._topic, task=task)
        threading.Thread(target=self._listen, name=f"lab at {worker}", daemon=True).start()

    def say(self, line: str) -> None:
        """Write a line to its standard input. That it is lost, its listener hears."""
        with suppress(Problem):
            self._held.call("say", line)

    def release(self) -> None:
        """Let it go: it ends, with all that it started."""
        self._released = True
        self._held.release()
        self._cluster.unsubscribe(self._topic)

    def _listen(self) -> None:
        try:
            while not self._released:
                if self._news.wait(LOOK_EVERY_SECONDS):
                    self._news.clear()
                    output = self._held.call("take")
                    for line in output["lines"]:
                        self._on_message(json.loads(line))
                    if output["status"] is not None:
                        raise _ended(self.worker, output)
                else:
                    self._held.assert_there()
        except Exception as error:  # whatever a message or Dask raises: whoever waits for this lab is told
            if not self._released:
                problem = error if isinstance(error, Problem) else _unheard(self.worker, error)
                self._on_message({"kind": "lost", "problem": problem})


def _unheard(worker: str, error: Exception) -> Problem:
    return Problem(
        f"what the lab at {printable(worker, 60)} says cannot be heard: {printable(repr(error), 200)}",
        "run again; if that does not help, report it",
        NOTHING_RAN,
    )


def _ended(worker: str, output: Mapping[str, Any]) -> Problem:
    words = printable(output["error"].strip()[-400:], 400)
    return Problem(
        f"the lab at {printable(worker, 60)} ended with status {output['status']}" + (f": {words}" if words else ""),
        "see on that host what ended it, such as a lack of memory; then run again",
        NOTHING_RAN,
    )
