"""A lab on a host of a cluster: a process there, and what it and whoever started it tell each other.

A message is one line of pickled values. Both ends have the same Fairtrial, which `fairtrial.cluster.fitness` has
compared.
"""

import threading
from collections.abc import Callable
from typing import Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable, printable_end
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster, RemoteProgram
from fairtrial.cluster.programs import PYTHON, HostCommand, from_line, to_line

ENDED_WITHIN_SECONDS = 25.0
"""A lab whose input has ended stops its stack and its services, which may take their time of grace."""

LAB = [PYTHON, "-m", "fairtrial", "lab"]

Message = tuple[Any, ...]
"""its kind, and its values"""


class RemoteLab:
    """A lab on the host of a worker. It ends with this process, its worker, and either's connection."""

    def __init__(
        self,
        cluster: Cluster,
        worker: str,
        task: object,
        on_message: Callable[[Message], None],
        *,
        is_client: bool = False,
    ) -> None:
        """Start it.

        Args:
            task: the first that it is told.
            on_message: is called by a thread of its own with each message, and at last with one of the kind `problem`:
                the Problem by which nothing more is to be heard.
            is_client: whether it connects to the scheduler itself.
        """
        self.worker, self._on_message = worker, on_message
        self._program: RemoteProgram | None = None
        command = HostCommand(LAB, to_line(task) + "\n", has_credentials=is_client, grace_seconds=ENDED_WITHIN_SECONDS)
        try:
            self._program = cluster.start(worker, command)
        except Problem as problem:
            on_message(("problem", problem))
        else:
            threading.Thread(target=self._listen, args=[self._program], name=f"lab at {worker}", daemon=True).start()

    def send(self, message: object) -> None:
        """Tell it something."""
        if self._program is not None:
            self._program.say(to_line(message))

    def release(self) -> None:
        """Let it go: it ends, with all that it started."""
        if self._program is not None:
            self._program.release()

    def _listen(self, program: RemoteProgram) -> None:
        try:
            for line in program.lines():
                self._on_message(from_line(line))
            raise self._ended(program)
        except Exception as error:  # whatever a message or Dask raises: whoever waits for this lab is told
            if not program.is_released:
                self._on_message(("problem", error if isinstance(error, Problem) else self._unheard(error)))

    def _unheard(self, error: Exception) -> Problem:
        return Problem(
            f"what the lab at {printable(self.worker, 60)} says cannot be heard: {printable(repr(error), 200)}",
            "run again; if that does not help, report it",
            NOTHING_RAN,
        )

    def _ended(self, program: RemoteProgram) -> Problem:
        words = printable_end(program.errors.decode(errors="replace"), 400)
        return Problem(
            f"the lab at {printable(self.worker, 60)} ended with status {program.status}"
            + (f": {words}" if words else ""),
            "see on that host what ended it, such as a lack of memory; then run again",
            NOTHING_RAN,
        )
