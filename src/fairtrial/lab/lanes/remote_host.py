"""A further host of a lane, and the lab there, as the lane's lab sees them."""

import os
import queue
import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Any

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.lab import Message, RemoteLab
from fairtrial.lab.lanes.messages import END
from fairtrial.lab.lanes.task import HostTask

RUN_AGAIN = "start its worker again, and run the experiment again"


class HostLost(Problem):
    """A host of the lane is lost, so that no further trial can be tried on it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, RUN_AGAIN, NOTHING_RAN)


def assert_answers(cluster: Cluster, worker: str, name: str) -> None:
    """Require that a worker answers now.

    It is asked itself: a call of it may have failed before the scheduler knows that it is lost.

    Args:
        name: what messages call its host.

    Raises:
        HostLost: it does not answer.
    """
    try:
        cluster.call(worker, os.getpid)
    except Exception as error:  # a Problem, or whatever else Dask says of a worker that it cannot reach
        reason = error.reason if isinstance(error, Problem) else printable(repr(error), 200)
        raise HostLost(f"the {name} is lost: {reason}") from error


class RemoteHost(RemoteLab):
    """The lab on a host, which brings services or a balancer up there."""

    def __init__(
        self, cluster: Cluster, name: str, worker: str, task: HostTask, on_step: Callable[[str], None]
    ) -> None:
        """Start it.

        Args:
            name: what messages call its host.
            worker: the address of its worker.
            on_step: is called with what it does before it is ready.
        """
        self._cluster, self._name, self._on_step = cluster, name, on_step
        self.address = task.addresses.server
        """at which what it brings up listens"""
        self._numbers = count(1)
        self._answers = queue.SimpleQueue[Message]()
        self._faults: dict[int, str | None] = {}
        self._lock = threading.Lock()
        """held during a call: the host answers one after the other"""
        self.problem: Problem | None = None
        """by which nothing more is to be heard of it"""
        super().__init__(cluster, worker, task, self._hear)

    def await_ready(self) -> None:
        """Wait until it takes calls. Raises Problem: it cannot."""
        self.call(0, "ready")

    def release(self) -> None:
        """Let it go: it ends, with all that it brought up."""
        self.send(END)
        super().release()

    def clock(self) -> ClockOffset:
        """The monotonic clock there, beside this host's. Raises Problem: its worker does not answer."""
        return self._cluster.clock(self.worker, time.monotonic)

    def assert_connected(self) -> None:
        """Raise HostLost if its worker does not answer, or its lab has ended."""
        assert_answers(self._cluster, self.worker, self._name)
        if self.problem is not None:
            raise HostLost(f"the lab on the {self._name} is lost: {self.problem.reason}")

    def fault(self, target: int) -> str | None:
        """How a service or a balancer ended, as the host has told; None while it runs. Nobody is asked."""
        return self.problem.reason if self.problem is not None else self._faults.get(target)

    def call(self, target: int, method: str, *arguments: Any, **keywords: Any) -> Any:
        """Have a method called there, and wait for its answer.

        Raises:
            Problem: what it raised there, or the host is lost.
        """
        with self._lock:
            number = next(self._numbers)
            self.send((number, target, method, arguments, keywords))
            while self.problem is None:
                kind, answer_number, value = self._answers.get()
                if answer_number != number:  # of a call that was interrupted, or of none: the host is lost
                    continue
                if kind == "refused":
                    raise value
                return value
        raise self.problem

    def _hear(self, message: Message) -> None:
        match message:
            case (("answer" | "refused"), _, _):
                self._answers.put(message)
            case "fault", target, fault:
                self._faults[target] = fault
            case "step", text:
                self._on_step(f"on the {self._name}: {text}")
            case "problem", problem:
                self.problem = self.problem or problem
                self._answers.put(("problem", None, problem))
