"""The lab on a further host of a lane: it brings services or a balancer up there, and does with them what it is asked.

It ends when its input ends, as the lab of a lane does, and what it brought up ends with it.
"""

import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from itertools import count, islice
from typing import Any, Self

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.private import PrivateService
from fairtrial.catalog.services.common.server import PrivateServer
from fairtrial.catalog.services.model import Addresses, ServiceStart
from fairtrial.lab.awake import processors_awake
from fairtrial.lab.exclusive import processors_held
from fairtrial.lab.lanes.host_calls import CLOSE, NEXT, Lasting
from fairtrial.lab.lanes.messages import Channel
from fairtrial.lab.lanes.task import HostTask, plan_of
from fairtrial.lab.meters.machine import MachineWatch, host_properties
from fairtrial.lab.meters.service import LaterChange
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.environment import telling_of_rows
from fairtrial.lab.trial.events import Preparing
from fairtrial.lab.trial.later_changes import LaterChanges
from fairtrial.lab.trial.running_balancer import balancer_up
from fairtrial.lab.trial.settle import settle
from fairtrial.plan.plan import Plan
from fairtrial.record.database import Settle
from fairtrial.record.machine import MachineMeter
from fairtrial.record.processes import ServerMeter

LOOK_EVERY_SECONDS = 0.25
"""How often it looks whether a service has ended, which takes no more than one system call."""
ROWS_AT_A_TIME = 2000
SAMPLE_EVERY_SECONDS = 1.0
"""Memory is looked at so rarely as the database may have all processors of its host, and pays for each look."""


def serve_host(task: HostTask, channel: Channel) -> None:
    """Do a task, call by call, until the messages end."""
    calls = channel.commands()
    with channel.telling_the_end("the lab on a host of the lane has ended"):
        plan = plan_of(task.plan)
        with processors_held(task.held_cpus, channel.step, wait=task.wait), processors_awake():
            lab = HostLab(plan, task.addresses, channel)
            with CallHandler(lab, channel) as handler:
                threading.Thread(target=handler.watch, daemon=True).start()
                for call in calls:
                    handler.answer(*call)


class Server:
    """A service or a balancer that is up. Its methods are called, or else those of the service."""

    def __init__(self, server: PrivateService | PrivateServer) -> None:
        self.server = server
        self.last_fault: str | None = None
        """as it was last told"""
        self._meter: TreeMeter | None = None
        self._machine: MachineWatch | None = None
        self._changes: LaterChanges | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.server, name)

    @property
    def service(self) -> PrivateService:
        """It, as a service."""
        assert isinstance(self.server, PrivateService)
        return self.server

    def attributes(self, names: Iterable[str]) -> dict[str, Any]:
        """Those of the service or balancer, by name."""
        return {name: getattr(self.server, name) for name in names}

    def change_all(self, table: str, column: str, changes: list[tuple[int, str]]) -> None:
        """Change rows in one transaction."""
        with self.service.changing(table, column, together=True) as change:
            for key, value in changes:
                change(key, value)

    def settle(self, writes_at_end: int | None, longest_seconds: float) -> Settle:
        """As `lab.trial.settle.settle`."""
        return settle(self.service, writes_at_end, longest_seconds)

    def begin_changes(self, table: str, column: str, changes: list[LaterChange]) -> None:
        """Have rows change from now on, each at its moment."""
        self._changes = LaterChanges(self.service, table, column, changes, time.monotonic())

    def end_changes(self) -> dict[int, int]:
        """Change no more; by key, when its change was committed, in nanoseconds of the monotonic clock here."""
        assert self._changes is not None
        changes, self._changes = self._changes, None
        return dict(changes.committed())

    def open_meter(self) -> None:
        """Open a window, instead of one that is open."""
        if self._meter is not None:
            self._meter.abandon()
        assert self.server.pid is not None
        self._meter = TreeMeter(self.server.pid, every_seconds=SAMPLE_EVERY_SECONDS)
        self._machine = MachineWatch(os.sched_getaffinity(0))
        self._meter.open()
        self._machine.open()

    def close_meter(self, ended_seconds_ago: float) -> tuple[ServerMeter, MachineMeter]:
        """Close the window, which ended so long ago; return what processes and host did in it."""
        assert self._meter is not None and self._machine is not None
        processes, machine = self._meter.close(ended_seconds_ago), self._machine.close()
        self._meter = self._machine = None
        return processes, machine

    def close(self) -> None:
        """End what it does in threads of its own."""
        if self._changes is not None:
            self._changes.stop()
        if self._meter is not None:
            self._meter.abandon()


class HostLab:
    """The services and the balancer that can be brought up on the host. Its methods are called with the target 0."""

    def __init__(self, plan: Plan, addresses: Addresses, channel: Channel) -> None:
        self._plan, self._addresses, self._channel = plan, addresses, channel

    def ready(self) -> None:
        """Nothing: whoever waits for the answer knows that calls are taken."""

    @contextmanager
    def service(self, name: str, point: int, with_tables: bool) -> Iterator[Server]:
        """Bring a service of the plan up, with the tables of a point or with none, and down again."""
        planned, services = self._plan.points[point], [each.service for each in self._plan.conditions]
        if self._plan.cache is not None:
            services.append(self._plan.cache)
        service = next(each for each in services if each.name == name)
        tables = planned.data.tables if with_tables else ()
        variant = planned.service_options(service).variant
        self._channel.on(Preparing(service.title))
        on_rows = telling_of_rows(tables, self._channel.on)
        with service.start(ServiceStart(tables, variant, on_rows, addresses=self._addresses)) as running:
            assert isinstance(running, PrivateService)
            running.identity = running.identity.model_copy(update={"host": host_properties()})
            with closing(Server(running)) as server:
                yield server

    @contextmanager
    def balancer(self, ports: Sequence[int], stacks_host: str) -> Iterator[Server]:
        """Bring the plan's balancer up before servers at these ports of that address, and down again."""
        assert self._plan.balancer is not None
        host = self._addresses.server
        with (
            balancer_up(self._plan.balancer, ports, host=host, stacks_host=stacks_host) as front,
            closing(Server(front)) as server,
        ):
            yield server


class CallHandler:
    """Answers calls one after the other; at its end, what lasts ends as well, the latest first."""

    def __init__(self, lab: HostLab, channel: Channel) -> None:
        self._channel, self._numbers = channel, count(1)
        self._targets: dict[int, Any] = {0: lab}
        """by number, what can be called"""
        self._ends = {0: ExitStack()}
        """what ends it, with all that calls of it have left"""
        self._lock = threading.Lock()
        """held during a call: while a server is started anew, it has not ended"""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ends[0].close()

    def answer(
        self, number: int, target: int, method: str, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> None:
        """Do what a call asks for, and tell what came of it: also of what nobody foresaw, for the one who waits."""
        with self._lock:
            try:
                value = self._do(target, method, arguments, keywords)
                self._tell_faults()
                self._channel.send("answer", number, value)
            except Problem as problem:
                self._refuse(number, problem)
            except Exception as error:
                reason = printable(f"{method} failed on its host: {type(error).__name__}: {error}", 300)
                self._refuse(number, Problem(reason, "run the experiment again; if that does not help, report it"))

    def watch(self) -> None:
        """Tell when a service has ended, or serves again; for as long as this process lives."""
        while not threading.Event().wait(LOOK_EVERY_SECONDS):
            with self._lock:
                self._tell_faults()

    def _do(self, target: int, method: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        if method == CLOSE:
            self._targets.pop(target, None)
            return self._ends.pop(target).close() if target in self._ends else None
        if method == NEXT:
            # A stack may have stored what no text of JSON holds: it is told as Python shows it, and is no right row.
            return json.dumps(list(islice(self._targets[target], ROWS_AT_A_TIME)), default=repr)
        value = getattr(self._targets[target], method)(*arguments, **keywords)
        is_context = isinstance(value, AbstractContextManager)
        if not is_context and not isinstance(value, Iterator):
            return value
        number = next(self._numbers)
        # Registered first: an interrupt between two steps leaves nothing running.
        self._ends[number] = self._ends[target].enter_context(ExitStack())
        self._targets[number] = self._ends[number].enter_context(value) if is_context else value
        return Lasting(number, is_context)

    def _refuse(self, number: int, problem: Problem) -> None:
        self._tell_faults()
        self._channel.send("refused", number, problem)

    def _tell_faults(self) -> None:
        servers = {number: each for number, each in self._targets.items() if isinstance(each, Server)}
        for number, server in servers.items():
            fault = server.fault()
            if fault != server.last_fault:
                server.last_fault = fault
                self._channel.send("fault", number, fault)
