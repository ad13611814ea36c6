"""A further host of a lane, and the lab there, as the lane's lab sees them."""

import queue
import threading
import time
from collections.abc import Callable, Container
from itertools import count
from typing import Any

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.lab import Message, RemoteLab
from fairtrial.lab.lanes.messages import END
from fairtrial.lab.lanes.task import HostTask


class HostLost(Problem):
    """A host of the lane is lost, so that no further trial can be tried on it."""

    def __init__(self, reason: str) -> None:
        remedy = "see whether its host can be reached; start the worker again, and then run again"
        super().__init__(reason, remedy, NOTHING_RAN)


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
        self.on_rows: RowsLoaded = nobody
        """is called while rows are loaded there"""
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

    def assert_connected(self, workers: Container[str]) -> None:
        """Raise HostLost if its worker is not among those of the cluster, or its lab has ended."""
        if self.worker not in workers:
            raise HostLost(f"the worker at {printable(self.worker, 60)}, the {self._name}, is lost")
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
            case "rows", table, loaded:
                self.on_rows(table, loaded)
            case "step", text:
                self._on_step(f"on the {self._name}: {text}")
            case "problem", problem:
                self.problem = self.problem or problem
                self._answers.put(("problem", None, problem))


def nobody(_table: str, _loaded: int) -> None:
    """Told of rows while none are loaded."""
