"""A further host of a lane, and the lab there, as the lane's lab sees them."""

import queue
import threading
from collections.abc import Callable, Container
from itertools import count
from typing import Any

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RowsLoaded
from fairtrial.cluster.clocks import monotonic_clock_of
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.lab import Message, start_lab
from fairtrial.lab.lanes.host_calls import ANSWERS, Call, Metered
from fairtrial.lab.lanes.host_lost import HostLost
from fairtrial.lab.lanes.input import END
from fairtrial.lab.lanes.messages import problem_in
from fairtrial.lab.lanes.task import HostPlace, HostTask
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ServerMeter


class RemoteHost:
    """The lab on a host, which brings services or a balancer up there. It lives as long as this object and process."""

    def __init__(
        self, cluster: Cluster, name: str, place: HostPlace, task: HostTask, on_step: Callable[[str], None]
    ) -> None:
        """Start it.

        Args:
            name: what messages call its host.
            on_step: is called with what it does before it is ready.
        """
        self._cluster, self._name, self._on_step, self._place = cluster, name, on_step, place
        self._ids = count(1)
        self._answers: dict[int, queue.SimpleQueue[Message]] = {}
        self._faults: dict[int, str | None] = {}
        self.on_rows: RowsLoaded = nobody
        """is called while rows are loaded there"""
        self._ready: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self.problem: Problem | None = None
        """by which nothing more is to be heard of it"""
        self._lab = start_lab(cluster, place.worker, "lane-host", task.model_dump_json(), self._hear)

    def await_ready(self) -> None:
        """Wait until it takes calls. Raises Problem: it cannot."""
        message = self._ready.get()
        if self.problem is not None:
            raise self.problem
        assert message["kind"] == "ready"

    @property
    def worker(self) -> str:
        """The address of its worker."""
        return self._place.worker

    def release(self) -> None:
        """Let it go: it ends, with all that it brought up."""
        self._lab.say(END)
        self._lab.release()

    def clock(self) -> ClockOffset:
        """The monotonic clock there, beside this host's. Raises Problem: its worker does not answer."""
        return monotonic_clock_of(self._cluster, self._lab.worker)

    def assert_there(self, workers: Container[str]) -> None:
        """Raise HostLost if its worker is not among those of the cluster, or its lab has ended."""
        if self._lab.worker not in workers:
            raise HostLost(f"the worker at {printable(self._lab.worker, 60)}, the {self._name}, is lost")
        if self.problem is not None:
            raise HostLost(f"the lab on the {self._name} is lost: {self.problem.reason}")

    @property
    def address(self) -> str:
        """At which what it brings up listens."""
        return self._place.host

    def fault(self, target: int) -> str | None:
        """How a service or a balancer ended, as the host has told; None while it runs. Nobody is asked."""
        return self.problem.reason if self.problem is not None else self._faults.get(target)

    def call(self, target: int, method: str, *arguments: Any) -> Any:
        """Have a method called there, and wait for its answer.

        Raises:
            Problem: what it raised there, or the host is lost.
        """
        number, answers = next(self._ids), queue.SimpleQueue[Message]()
        with self._lock:
            if self.problem is not None:
                raise self.problem
            self._answers[number] = answers
        call = Call(id=number, target=target, method=method, arguments=list(arguments))
        self._lab.say(call.model_dump_json())
        message = answers.get()
        if message["kind"] == "lost":
            assert self.problem is not None  # `_end`
            raise self.problem
        if message["kind"] == "refused":
            raise Problem(message["reason"], message["remedy"], message["exit_status"])
        return ANSWERS[method].validate_json(message["value"])

    def _hear(self, message: Message) -> None:
        kind = message["kind"]
        if kind in ("answer", "refused"):
            with self._lock:
                answers = self._answers.pop(message["id"], None)
            if answers is not None:
                answers.put(message)
        elif kind == "fault":
            self._faults[message["target"]] = message["fault"]
        elif kind == "rows":
            self.on_rows(message["table"], message["loaded"])
        elif kind == "step":
            self._on_step(f"on the {self._name}: {message['text']}")
        elif kind == "ready":
            self._ready.put(message)
        else:
            self._end(message)

    def _end(self, message: Message) -> None:
        with self._lock:
            self.problem = self.problem or problem_in(message, "the lab on a host of the lane has ended")
            waiting, self._answers = list(self._answers.values()), {}
        for answers in (*waiting, self._ready):
            answers.put({"kind": "lost"})


class RemoteMeter:
    """A `lab.meters.service.ServiceMeter` on a further host, of one service or balancer and of the host's machine."""

    def __init__(self, host: RemoteHost, target: int) -> None:
        self._host, self._target = host, target
        self.machine: MachineMeter | None = None
        """what the host did in the window"""

    def prepare(self) -> None:
        """Nothing: the host is asked when the window opens."""

    def open(self) -> None:
        """Open the window. Raises Problem: its host is lost."""
        self.machine = None
        self._host.call(self._target, "open_meter")

    def close(self, ended_seconds_ago: float = 0.0) -> ServerMeter:
        """Close the window, and return what its processes used in it. Raises Problem: its host is lost."""
        metered: Metered = self._host.call(self._target, "close_meter", ended_seconds_ago)
        self.machine = metered.machine
        return metered.processes

    def abandon(self) -> None:
        """Nothing: the host abandons it when the next is opened, and takes one sample a second."""


def nobody(_table: str, _loaded: int) -> None:
    """Told of rows while none are loaded."""
