"""A lab on a host of a cluster, as the lab here listens to it and tells it what to do."""

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.reporter import Reporter

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
        self.worker, self._on_message = worker, on_message
        self._lab = Reporter(cluster, worker, "lab", command=command, task=task)
        threading.Thread(target=self._listen, name=f"lab at {worker}", daemon=True).start()

    def say(self, line: str) -> None:
        """Write a line to its standard input. That it is lost, its listener hears."""
        with suppress(Problem):
            self._lab.call("say", line)

    def release(self) -> None:
        """Let it go: it ends, with all that it started."""
        self._lab.release()

    def _listen(self) -> None:
        try:
            for output in self._lab.reports():
                for line in output["lines"]:
                    self._on_message(json.loads(line))
                if output["status"] is not None:
                    raise _ended(self.worker, output)
        except Exception as error:  # whatever a message or Dask raises: whoever waits for this lab is told
            if not self._lab.is_released:
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
