"""The lab on a further host of a lane: it brings services or a balancer up there, and does with them what it is asked.

It ends when its input ends, as the lab of a lane does, and what it brought up ends with it.
"""

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.private import PrivateService
from fairtrial.catalog.services.common.server import PrivateServer
from fairtrial.catalog.services.model import Addresses, ServiceStart
from fairtrial.lab.awake import processors_awake
from fairtrial.lab.exclusive import processors_held
from fairtrial.lab.lanes.host_calls import ATTRIBUTES, Lasting
from fairtrial.lab.lanes.messages import Channel
from fairtrial.lab.lanes.task import HostTask, plan_of
from fairtrial.lab.meters.machine import MachineWatch, host_properties
from fairtrial.lab.meters.service import LaterChange
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.later_changes import LaterChanges
from fairtrial.lab.trial.running_balancer import balancer_up
from fairtrial.lab.trial.settle import settle
from fairtrial.plan.plan import Plan
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ServerMeter, Settle

LOOK_EVERY_SECONDS = 0.25
"""How often it looks whether a service has ended, which takes no more than one system call."""
ROWS_AT_A_TIME = 2000
SAMPLE_EVERY_SECONDS = 1.0
"""Of memory: the database may have all processors of its host, so that each look is at its cost."""


def serve(task: HostTask, channel: Channel) -> None:
    """Do a task, call by call, until the messages end."""
    calls = channel.commands()
    with channel.telling_the_end("the lab on a host of the lane has ended"):
        plan = plan_of(task.plan)
        with (
            processors_held(task.held_cpus, channel.step, wait=task.wait),
            processors_awake(),
            ExitStack() as ending,
        ):
            handler = CallHandler(HostLab(plan, task.addresses, channel, ending), channel)
            threading.Thread(target=handler.watch, daemon=True).start()
            channel.send("ready")
            for call in calls:
                handler.answer(*call)


@dataclass
class Server:
    """A service or a balancer that is up. Its methods are called beside the service's own, and before these."""

    server: PrivateService | PrivateServer
    ending: ExitStack
    """what ends it"""
    meter: TreeMeter | None = None
    machine: MachineWatch | None = None
    lasting: dict[int, Any] = field(default_factory=dict)
    """by number, what lasts from one call to another: rows that are read, or a function that changes one"""
    closing: dict[int, ExitStack] = field(default_factory=dict)
    """what ends that"""
    changes: LaterChanges | None = None
    last_fault: str | None = None
    """as it was last told"""

    @property
    def service(self) -> PrivateService:
        """It, as a service."""
        assert isinstance(self.server, PrivateService)
        return self.server

    def reset(self) -> dict[str, Any]:
        """Start the service anew; return its attributes."""
        self.service.reset()
        return _attributes(self.service)

    def change_all(self, table: str, column: str, changes: list[tuple[int, str]]) -> None:
        """Change rows in one transaction."""
        with self.service.changing(table, column, together=True) as change:
            for key, value in changes:
                change(key, value)

    def settle(self, writes_at_end: int | None, longest_seconds: float) -> Settle:
        """As `lab.trial.settle.settle`."""
        return settle(self.service, writes_at_end, longest_seconds)

    def next(self, number: int) -> str:
        """The next rows, as JSON; none at their end."""
        # A stack may have stored what no text of JSON holds: it is told as Python shows it, and is no right row.
        return json.dumps(list(islice(self.lasting[number], ROWS_AT_A_TIME)), default=repr)

    def apply(self, number: int, key: int, value: str) -> None:
        """Change one row by what `changing` gave."""
        self.lasting[number](key, value)

    def close(self, number: int) -> None:
        """End what lasts."""
        self.lasting.pop(number, None)
        self.closing.pop(number).close()

    def begin_changes(self, table: str, column: str, changes: list[LaterChange]) -> None:
        """Have rows change from now on, each at its moment."""
        self.changes = LaterChanges(self.service, table, column, changes, time.monotonic())

    def end_changes(self) -> dict[int, int]:
        """Change no more; by key, when its change was committed, in nanoseconds of the monotonic clock here."""
        assert self.changes is not None
        changes, self.changes = self.changes, None
        return dict(changes.committed())

    def open_meter(self) -> None:
        """Open a window, instead of one that is open."""
        if self.meter is not None:
            self.meter.abandon()
        assert self.server.pid is not None
        self.meter = TreeMeter(self.server.pid, every_seconds=SAMPLE_EVERY_SECONDS)
        self.machine = MachineWatch(os.sched_getaffinity(0))
        self.meter.open()
        self.machine.open()

    def close_meter(self, ended_seconds_ago: float) -> tuple[ServerMeter, MachineMeter]:
        """Close the window, which ended so long ago; return what processes and host did in it."""
        assert self.meter is not None and self.machine is not None
        processes, machine = self.meter.close(ended_seconds_ago), self.machine.close()
        self.meter = self.machine = None
        return processes, machine


class HostLab:
    """The lab's services on the host. Its methods are called with the target 0."""

    def __init__(self, plan: Plan, addresses: Addresses, channel: Channel, ending: ExitStack) -> None:
        self._plan, self._addresses, self._channel, self._ending = plan, addresses, channel, ending
        self._numbers = count(1)
        self.servers: dict[int, Server] = {}
        """those that are up, by the numbers by which calls name them"""

    def up(self, name: str, point: int, with_tables: bool) -> tuple[int, dict[str, Any]]:
        """Bring a service of the plan up, with the tables of a point or with none; return number and attributes."""
        planned, services = self._plan.points[point], [each.service for each in self._plan.conditions]
        if self._plan.cache is not None:
            services.append(self._plan.cache)
        service = next(each for each in services if each.name == name)
        tables = planned.data.tables if with_tables else ()

        def on_rows(table: str, loaded: int) -> None:
            self._channel.send("rows", table, loaded)

        # Registered first: an interrupt between two steps leaves nothing running.
        ending = self._ending.enter_context(ExitStack())
        variant = planned.service_options(service).variant
        start = ServiceStart(tables, variant, on_rows, addresses=self._addresses)
        running = ending.enter_context(service.start(start))
        assert isinstance(running, PrivateService)
        running.identity = running.identity.model_copy(update={"host": host_properties()})
        return self._number_of(Server(running, ending)), _attributes(running)

    def up_balancer(self, ports: list[int], stacks_host: str) -> tuple[int, int]:
        """Bring the plan's balancer up before servers at these ports of that address; return number and port."""
        assert self._plan.balancer is not None
        ending = self._ending.enter_context(ExitStack())
        front = ending.enter_context(
            balancer_up(self._plan.balancer, ports, host=self._addresses.server, stacks_host=stacks_host)
        )
        return self._number_of(Server(front, ending)), front.port

    def down(self, number: int) -> None:
        """Bring a service or a balancer down, if it is up."""
        server = self.servers.pop(number, None)
        if server is None:
            return
        with ExitStack() as ends:  # all of them, whatever one raises
            ends.callback(server.ending.close)
            for closing in server.closing.values():
                ends.callback(closing.close)
            if server.changes is not None:
                ends.callback(server.changes.stop)
            if server.meter is not None:
                ends.callback(server.meter.abandon)

    def _number_of(self, server: Server) -> int:
        number = next(self._numbers)
        self.servers[number] = server
        return number


def _attributes(service: PrivateService) -> dict[str, Any]:
    return {name: getattr(service, name) for name in ATTRIBUTES}


class CallHandler:
    """Answers calls one after the other."""

    def __init__(self, lab: HostLab, channel: Channel) -> None:
        self._lab, self._channel, self._numbers = lab, channel, count(1)
        self._lock = threading.Lock()
        """held during a call: while a server is started anew, it has not ended"""

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
        if not target:
            return getattr(self._lab, method)(*arguments)
        server = self._lab.servers[target]
        if hasattr(Server, method):
            return getattr(server, method)(*arguments)
        value = getattr(server.service, method)(*arguments, **keywords)
        is_context = isinstance(value, AbstractContextManager)
        return self._keep(server, value, is_context) if is_context or isinstance(value, Iterator) else value

    def _keep(self, server: Server, value: Any, is_context: bool) -> Lasting:
        number = next(self._numbers)
        with ExitStack() as opening:
            server.lasting[number] = opening.enter_context(value) if is_context else value
            server.closing[number] = opening.pop_all()
        return Lasting(number, is_context)

    def _refuse(self, number: int, problem: Problem) -> None:
        self._tell_faults()
        self._channel.send("refused", number, problem)

    def _tell_faults(self) -> None:
        for number, server in self._lab.servers.items():
            fault = server.server.fault()
            if fault != server.last_fault:
                server.last_fault = fault
                self._channel.send("fault", number, fault)
