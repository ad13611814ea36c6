"""The lab on a further host of a lane: it brings services or a balancer up there, and does with them what it is asked.

It ends when its input ends, as the lab of a lane does, and what it brought up ends with it.
"""

import json
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
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
from fairtrial.lab.lanes.host_calls import ANSWERS, BalancerUp, Call, Metered, Up
from fairtrial.lab.lanes.input import hand_on, serve_standard_streams
from fairtrial.lab.lanes.messages import Mouth
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


def main() -> None:
    """Serve standard input and output."""
    serve_standard_streams(serve)


def serve(lines: IO[str], out: IO[str]) -> None:
    """Do the task that the first line is, call by call as the lines after it say, until they end."""
    mouth = Mouth(out)
    task = HostTask.model_validate_json(lines.readline())
    calls: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    hand_on(lines, calls.put)
    try:
        plan = plan_of(task.plan)
        with (
            processors_held(task.held_cpus, mouth.step, wait=task.wait),
            processors_awake(),
            ExitStack() as services,
        ):
            desk = _Desk(plan, task.addresses, mouth, services)
            threading.Thread(target=desk.watch, daemon=True).start()
            mouth.say("ready")
            while (line := calls.get()) is not None:
                desk.answer(Call.model_validate_json(line))
    except Problem as problem:
        mouth.problem(problem)
    except KeyboardInterrupt:
        mouth.say("interrupted")


@dataclass
class _Running:
    """A service or a balancer that is up, what ends it, and what lasts from one call to another."""

    server: PrivateService | PrivateServer
    ending: ExitStack
    meter: TreeMeter | None = None
    machine: MachineWatch | None = None
    lasting: dict[int, Any] = field(default_factory=dict)
    """by number: rows that are read, or a function that changes one"""
    closing: dict[int, ExitStack] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    changes: LaterChanges | None = None
    fault: str | None = None
    """as it was last told"""

    @property
    def service(self) -> PrivateService:
        """It, as a service."""
        assert isinstance(self.server, PrivateService)
        return self.server


class _Desk:
    """Answers calls one after the other."""

    def __init__(self, plan: Plan, addresses: Addresses, mouth: Mouth, services: ExitStack) -> None:
        self._plan, self._addresses, self._mouth, self._services = plan, addresses, mouth, services
        self._running: dict[int, _Running] = {}
        self._numbers = count(1)
        self._lock = threading.Lock()
        """held during a call: while a server is started anew, it has not ended"""

    def answer(self, call: Call) -> None:
        """Do what a call asks for, and say what came of it: also of what nobody foresaw, for the one who waits."""
        with self._lock:
            try:
                value = ANSWERS[call.method].dump_json(self._do(call)).decode()
            except Problem as problem:
                self._refuse(call, problem)
            except Exception as error:
                reason = printable(f"{call.method} failed on its host: {type(error).__name__}: {error}", 300)
                self._refuse(call, Problem(reason, "run the experiment again; if that does not help, report it"))
            else:
                self._tell_faults()
                self._mouth.say("answer", id=call.id, value=value)

    def _refuse(self, call: Call, problem: Problem) -> None:
        self._tell_faults()
        self._mouth.say(
            "refused", id=call.id, reason=problem.reason, remedy=problem.remedy, exit_status=problem.exit_status
        )

    def watch(self) -> None:
        """Say when a service has ended, or serves again; for as long as this process lives."""
        while not threading.Event().wait(LOOK_EVERY_SECONDS):
            with self._lock:
                self._tell_faults()

    def _tell_faults(self) -> None:
        for number, running in self._running.items():
            fault = running.server.fault()
            if fault != running.fault:
                running.fault = fault
                self._mouth.say("fault", target=number, fault=fault)

    def _up(self, name: str, point: int, with_tables: bool) -> Up:
        planned, services = self._plan.points[point], [each.service for each in self._plan.conditions]
        if self._plan.cache is not None:
            services.append(self._plan.cache)
        service = next(each for each in services if each.name == name)
        tables = planned.data.tables if with_tables else ()
        number = next(self._numbers)

        def on_rows(table: str, loaded: int) -> None:
            self._mouth.say("rows", table=table, loaded=loaded)

        # Registered first: an interrupt between two steps leaves nothing running.
        ending = self._services.enter_context(ExitStack())
        variant = planned.service_options(service).variant
        start = ServiceStart(tables, variant, on_rows, addresses=self._addresses)
        running = ending.enter_context(service.start(start))
        assert isinstance(running, PrivateService)
        self._running[number] = _Running(running, ending)
        return Up(
            number=number,
            url=running.url,
            identity=running.identity.model_copy(update={"host": this_host()}),
            durability_at_start=running.durability_at_start,
            loses_when_killed=running.loses_when_killed,
            why_no_power_cut=running.why_no_power_cut,
        )

    def _down(self, number: int) -> None:
        running = self._running.pop(number, None)
        if running is None:
            return
        with ExitStack() as ends:  # all of them, whatever one raises
            ends.callback(running.ending.close)
            for closing in running.closing.values():
                ends.callback(closing.close)
            if running.changes is not None:
                ends.callback(running.changes.stop)
            if running.meter is not None:
                ends.callback(running.meter.abandon)

    def _up_balancer(self, ports: list[int], stacks_host: str) -> BalancerUp:
        assert self._plan.balancer is not None
        ending = self._services.enter_context(ExitStack())
        front = ending.enter_context(
            balancer_up(self._plan.balancer, ports, host=self._addresses.server, stacks_host=stacks_host)
        )
        number = next(self._numbers)
        self._running[number] = _Running(front, ending)
        return BalancerUp(number, front.port)

    def _do(self, call: Call) -> Any:
        if call.method == "up":
            return self._up(*call.arguments)
        if call.method == "up_balancer":
            return self._up_balancer(*call.arguments)
        if call.method == "down":
            return self._down(call.target)
        running = self._running[call.target]
        return METHODS[call.method](running, *call.arguments)


def _own(name: str) -> Callable[..., Any]:
    """A method of the service's own, as it stands."""

    def call(running: _Running, *arguments: Any) -> Any:
        return getattr(running.service, name)(*arguments)

    return call


def _reset(running: _Running) -> Any:
    running.service.reset()
    return running.service.durability_at_start


def _change_all(running: _Running, table: str, column: str, changes: list[tuple[int, str]]) -> None:
    with running.service.changing(table, column, together=True) as change:
        for key, value in changes:
            change(key, value)


def _settle(running: _Running, writes_at_end: int | None, longest_seconds: float) -> Settle:
    return settle(running.service, writes_at_end, longest_seconds)


def _open_rows(running: _Running, table: str) -> int:
    number = next(running.numbers)
    running.lasting[number] = running.service.rows(table)
    return number


def _next_rows(running: _Running, number: int) -> str:
    # A stack may have stored what no text of JSON holds: it is told as Python shows it, and is no right row.
    return json.dumps(list(islice(running.lasting[number], ROWS_AT_A_TIME)), default=repr)


def _open_changes(running: _Running, table: str, column: str) -> int:
    with ExitStack() as opening:
        number = next(running.numbers)
        running.lasting[number] = opening.enter_context(running.service.changing(table, column))
        running.closing[number] = opening.pop_all()
        return number


def _change_one(running: _Running, number: int, key: int, value: str) -> None:
    running.lasting[number](key, value)


def _begin_changes(running: _Running, table: str, column: str, changes: list[tuple[float, int, str]]) -> None:
    later = [LaterChange(*each) for each in changes]
    running.changes = LaterChanges(running.service, table, column, later, time.monotonic())


def _end_changes(running: _Running) -> list[tuple[int, int]]:
    assert running.changes is not None
    changes, running.changes = running.changes, None
    return list(changes.committed().items())


def _open_disk(running: _Running) -> int:
    with ExitStack() as opening:
        number = next(running.numbers)
        opening.enter_context(running.service.separate_disk())
        running.closing[number] = opening.pop_all()
        return number


def _close(running: _Running, number: int) -> None:
    running.lasting.pop(number, None)
    closing = running.closing.pop(number, None)
    if closing is not None:
        closing.close()


def _open_meter(running: _Running) -> None:
    if running.meter is not None:
        running.meter.abandon()
    assert running.server.pid is not None
    running.meter = TreeMeter(running.server.pid, every_seconds=SAMPLE_EVERY_SECONDS)
    running.machine = MachineWatch(os.sched_getaffinity(0))
    running.meter.open()
    running.machine.open()


def _close_meter(running: _Running, ended_seconds_ago: float) -> Metered:
    assert running.meter is not None and running.machine is not None
    metered = Metered(running.meter.close(ended_seconds_ago), running.machine.close())
    running.meter = running.machine = None
    return metered


OWN = (
    *("altered", "counters", "end_sessions", "durability", "sessions", "maintenance", "mark_unread", "keys_read"),
    *("change", "kill", "start_again"),
)
METHODS: Mapping[str, Callable[..., Any]] = {
    **{name: _own(name) for name in OWN},
    "reset": _reset,
    "change_all": _change_all,
    "settle": _settle,
    "open_rows": _open_rows,
    "next_rows": _next_rows,
    "open_changes": _open_changes,
    "change_one": _change_one,
    "begin_changes": _begin_changes,
    "end_changes": _end_changes,
    "open_disk": _open_disk,
    "close": _close,
    "open_meter": _open_meter,
    "close_meter": _close_meter,
}
"""What is called of a service that is up."""
