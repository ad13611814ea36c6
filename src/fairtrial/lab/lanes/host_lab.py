"""The lab on a further host of a lane: it brings services or a balancer up there, and does with them what it is asked.

It ends when its input ends, as the lab of a lane does, and what it brought up ends with it.
"""

import json
import os
import threading
import time
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from itertools import count, islice
from typing import IO, Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.private import PrivateService
from fairtrial.catalog.services.common.server import PrivateServer
from fairtrial.catalog.services.model import Addresses, ServiceStart
from fairtrial.lab.awake import processors_awake
from fairtrial.lab.exclusive import processors_held
from fairtrial.lab.lanes.host_calls import (
    PROTOCOLS,
    BalancerUp,
    Call,
    Metered,
    Method,
    ServiceUp,
    attributes_of,
    methods_of,
)
from fairtrial.lab.lanes.messages import MessageWriter, read_commands
from fairtrial.lab.lanes.task import HostTask, plan_of
from fairtrial.lab.meters.machine import MachineWatch, this_host
from fairtrial.lab.meters.service import LaterChange
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.front import balancer_up
from fairtrial.lab.trial.later_changes import LaterChanges
from fairtrial.lab.trial.settle import settle
from fairtrial.plan.plan import Plan
from fairtrial.record.model import Settle

LOOK_EVERY_SECONDS = 0.25
"""How often it looks whether a service has ended, which takes no more than one system call."""
ROWS_AT_A_TIME = 2000
SAMPLE_EVERY_SECONDS = 1.0
"""Of memory: the database may have all processors of its host, so that each look is at its cost."""


def serve(lines: IO[str], out: IO[str]) -> None:
    """Do the task that the first line is, call by call as the lines after it say, until they end."""
    writer = MessageWriter(out)
    task = HostTask.model_validate_json(lines.readline())
    calls = read_commands(lines)
    with writer.saying_why():
        plan = plan_of(task.plan)
        with (
            processors_held(task.held_cpus, writer.step, wait=task.wait),
            processors_awake(),
            ExitStack() as ending,
        ):
            handler = CallHandler(HostLab(plan, task.addresses, writer, ending), writer)
            threading.Thread(target=handler.watch, daemon=True).start()
            writer.say("ready")
            for line in calls:
                handler.answer(Call.model_validate_json(line))


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
        if number in self.closing:
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

    def close_meter(self, ended_seconds_ago: float) -> Metered:
        """Close the window, which ended so long ago."""
        assert self.meter is not None and self.machine is not None
        metered = Metered(self.meter.close(ended_seconds_ago), self.machine.close())
        self.meter = self.machine = None
        return metered


class HostLab:
    """What is up on the host. Its methods are called with the target 0."""

    def __init__(self, plan: Plan, addresses: Addresses, writer: MessageWriter, ending: ExitStack) -> None:
        self._plan, self._addresses, self._writer, self._ending = plan, addresses, writer, ending
        self._numbers = count(1)
        self.servers: dict[int, Server] = {}
        """those that are up, by the numbers by which calls name them"""

    def up(self, name: str, point: int, with_tables: bool) -> ServiceUp:
        """Bring a service of the plan up, with the tables of a point or with none."""
        planned, services = self._plan.points[point], [each.service for each in self._plan.conditions]
        if self._plan.cache is not None:
            services.append(self._plan.cache)
        service = next(each for each in services if each.name == name)
        tables = planned.data.tables if with_tables else ()

        def on_rows(table: str, loaded: int) -> None:
            self._writer.say("rows", table=table, loaded=loaded)

        # Registered first: an interrupt between two steps leaves nothing running.
        ending = self._ending.enter_context(ExitStack())
        variant = planned.service_options(service).variant
        start = ServiceStart(tables, variant, on_rows, addresses=self._addresses)
        running = ending.enter_context(service.start(start))
        assert isinstance(running, PrivateService)
        running.identity = running.identity.model_copy(update={"host": this_host()})
        return ServiceUp(self._number_of(Server(running, ending)), _attributes(running))

    def up_balancer(self, ports: list[int], stacks_host: str) -> BalancerUp:
        """Bring the plan's balancer up before servers at these ports of that address."""
        assert self._plan.balancer is not None
        ending = self._ending.enter_context(ExitStack())
        front = ending.enter_context(
            balancer_up(self._plan.balancer, ports, host=self._addresses.server, stacks_host=stacks_host)
        )
        return BalancerUp(self._number_of(Server(front, ending)), front.port)

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
    types = attributes_of(*PROTOCOLS)
    return {name: each.dump_python(getattr(service, name), mode="json") for name, each in types.items()}


OF_LAB = methods_of(HostLab)
OF_SERVER = methods_of(*PROTOCOLS, Server)
"""What can be called: of the lab, and of a service or balancer that is up."""


def method_of(target: int, name: str) -> Method:
    """A method that can be called. Raises KeyError: it cannot."""
    return (OF_SERVER if target else OF_LAB)[name]


class CallHandler:
    """Answers calls one after the other."""

    def __init__(self, lab: HostLab, writer: MessageWriter) -> None:
        self._lab, self._writer, self._numbers = lab, writer, count(1)
        self._lock = threading.Lock()
        """held during a call: while a server is started anew, it has not ended"""

    def answer(self, call: Call) -> None:
        """Do what a call asks for, and say what came of it: also of what nobody foresaw, for the one who waits."""
        with self._lock:
            try:
                method = method_of(call.target, call.method)
                value = method.answer.dump_json(self._do(call, method)).decode()
            except Problem as problem:
                self._refuse(call, problem)
            except Exception as error:
                reason = printable(f"{call.method} failed on its host: {type(error).__name__}: {error}", 300)
                self._refuse(call, Problem(reason, "run the experiment again; if that does not help, report it"))
            else:
                self._tell_faults()
                self._writer.say("answer", id=call.id, value=value)

    def watch(self) -> None:
        """Say when a service has ended, or serves again; for as long as this process lives."""
        while not threading.Event().wait(LOOK_EVERY_SECONDS):
            with self._lock:
                self._tell_faults()

    def _do(self, call: Call, method: Method) -> Any:
        arguments = method.arguments.validate_python(call.arguments)
        if not call.target:
            return getattr(self._lab, call.method)(*arguments)
        server = self._lab.servers[call.target]
        value = getattr(server if hasattr(Server, call.method) else server.service, call.method)(*arguments)
        return value if method.lasting is None else self._keep(server, value)

    def _keep(self, server: Server, value: Any) -> int:
        number = next(self._numbers)
        with ExitStack() as opening:
            is_entered = isinstance(value, AbstractContextManager)
            server.lasting[number] = opening.enter_context(value) if is_entered else value
            server.closing[number] = opening.pop_all()
        return number

    def _refuse(self, call: Call, problem: Problem) -> None:
        self._tell_faults()
        self._writer.problem(problem, "refused", id=call.id)

    def _tell_faults(self) -> None:
        for number, server in self._lab.servers.items():
            fault = server.server.fault()
            if fault != server.last_fault:
                server.last_fault = fault
                self._writer.say("fault", target=number, fault=fault)
