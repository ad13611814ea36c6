"""One engine that carries out plans one after the other."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine.in_turn import EngineInTurn
from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.engine.run import run_engine
from fairtrial.load.engine_terms import Closed, StopAfterRequests, StopAfterSeconds
from fairtrial.record.engine_summary import EngineSummary, KeptConnections


@pytest.fixture
def target(engine: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [str(engine), "target", "--listen", "127.0.0.1:0", "--body", "hello"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


@pytest.fixture
def in_turn() -> Iterator[EngineInTurn]:
    engine = EngineInTurn()
    yield engine
    engine.end()


def address_of(target: "subprocess.Popen[str]") -> str:
    assert target.stdout
    return str(json.loads(target.stdout.readline())["address"])


def slice_at(address: str, **changes: Any) -> EnginePlan:
    settings = {"stop": StopAfterSeconds(seconds=0.1), "load": Closed(connections=4), "drain_seconds": 2.0} | changes
    return EnginePlan(address=address, requests=[Request(name="hello", path="/")], **settings)


def run(plan: EnginePlan, engine: EngineInTurn) -> EngineSummary:
    return run_engine(plan, lambda _event: None, start=engine.start, goes_on=True)


def the_engine() -> psutil.Process:
    alive = (child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE)
    return next(child for child in alive if "--in-turn" in child.cmdline())


def test_its_connections_are_those_of_the_plan_before(target: "subprocess.Popen[str]", in_turn: EngineInTurn) -> None:
    plan = slice_at(address_of(target))
    summaries = [run(plan, in_turn) for _ in range(3)]
    assert [summary.older_connections for summary in summaries] == [None, *[KeptConnections(open=4, closes=0)] * 2]
    process = the_engine()
    in_turn.end()
    in_turn.end()
    assert not process.is_running()
    target.send_signal(signal.SIGTERM)
    assert target.stdout
    served = json.loads(target.stdout.readline())
    answers = sum(summary.run_verified or 0 for summary in summaries)
    assert (served["connections"], served["requests"]) == (4, answers)


def test_one_that_was_killed_between_two_plans_is_told(target: "subprocess.Popen[str]", in_turn: EngineInTurn) -> None:
    plan = slice_at(address_of(target))
    run(plan, in_turn)
    the_engine().send_signal(signal.SIGKILL)
    with pytest.raises(Problem, match="ended with status -9"):
        run(plan, in_turn)


def test_an_interrupt_ends_it(target: "subprocess.Popen[str]", in_turn: EngineInTurn) -> None:
    def interrupt(event: dict[str, Any]) -> None:
        if event["event"] == "progress":
            raise KeyboardInterrupt

    address = address_of(target)
    run(slice_at(address), in_turn)
    process = the_engine()
    endless = slice_at(address, stop=StopAfterRequests(requests=10**9))
    with pytest.raises(KeyboardInterrupt):
        run_engine(endless, interrupt, start=in_turn.start, goes_on=True)
    assert not process.is_running()


def test_a_plan_that_it_refuses_is_told(target: "subprocess.Popen[str]", in_turn: EngineInTurn) -> None:
    address = address_of(target)
    run(slice_at(address), in_turn)
    with pytest.raises(Problem, match="threads"):
        run(slice_at(address, threads=0), in_turn)


def test_it_ends_with_its_input(target: "subprocess.Popen[str]", in_turn: EngineInTurn) -> None:
    run(slice_at(address_of(target)), in_turn)
    process = the_engine()
    assert in_turn._process is not None and in_turn._process.stdin is not None
    in_turn._process.stdin.close()
    assert in_turn._process.wait(10) == 0
    assert not process.is_running()
