"""A lab on a host of a cluster, as the lab here listens to it and tells it what to do."""

import json
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster, RemoteProgram
from fairtrial.cluster.programs import Command

Message = Mapping[str, Any]

NOT_STARTED = -1
ENDED_WITHIN_SECONDS = 25.0
"""A lab whose input has ended stops its stack and its services, which may take their time of grace."""


def start_lab(
    cluster: Cluster, worker: str, command: str, task: str, on_message: Callable[[Message], None]
) -> RemoteProgram:
    """Start a lab on the host of a worker. It ends with this process, its worker, and either's connection.

    Args:
        command: of Fairtrial, that it is.
        task: the first lines that it reads.
        on_message: is called by a thread of its own with each message, and at last with one of the kind `lost`: the
            `problem` by which nothing more is to be heard.
    """
    try:
        arguments = [cluster.call(worker, interpreter), "-m", "fairtrial", command]
        lab = cluster.start(
            worker,
            Command(
                arguments,
                task + "\n",
                has_credentials=command == "lane",  # it connects to the scheduler itself
                grace_seconds=ENDED_WITHIN_SECONDS,
            ),
        )
    except Problem as problem:
        on_message({"kind": "lost", "problem": problem})
        return RemoteProgram(cluster, worker, NOT_STARTED)
    threading.Thread(target=_listen, args=(lab, on_message), name=f"lab at {worker}", daemon=True).start()
    return lab


def interpreter() -> str:
    """That of this process."""
    return sys.executable


def _listen(lab: RemoteProgram, on_message: Callable[[Message], None]) -> None:
    try:
        for line in lab.lines():
            on_message(json.loads(line))
        raise _ended(lab)
    except Exception as error:  # whatever a message or Dask raises: whoever waits for this lab is told
        if not lab.is_released:
            problem = error if isinstance(error, Problem) else _unheard(lab.worker, error)
            on_message({"kind": "lost", "problem": problem})


def _unheard(worker: str, error: Exception) -> Problem:
    return Problem(
        f"what the lab at {printable(worker, 60)} says cannot be heard: {printable(repr(error), 200)}",
        "run again; if that does not help, report it",
        NOTHING_RAN,
    )


def _ended(lab: RemoteProgram) -> Problem:
    words = printable(lab.errors.decode(errors="replace").strip()[-400:], 400)
    return Problem(
        f"the lab at {printable(lab.worker, 60)} ended with status {lab.status}" + (f": {words}" if words else ""),
        "see on that host what ended it, such as a lack of memory; then run again",
        NOTHING_RAN,
    )
