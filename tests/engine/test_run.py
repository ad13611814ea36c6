"""The engine, driven by the lab against its own target."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine import events
from fairtrial.engine.plan import EnginePlan, ExactBody, Expectation, Request
from fairtrial.engine.process import start_here
from fairtrial.engine.run import run_engine
from fairtrial.load.engine_terms import (
    Closed,
    Constant,
    EngineLoad,
    OfferedStep,
    Poisson,
    Ramp,
    Steps,
    StopAfterRequests,
    StopAfterSeconds,
)
from fairtrial.record.engine_summary import Acknowledgements, EngineSummary
from tests.conftest import left_running

LOADS: list[EngineLoad] = [
    Closed(connections=4),
    Constant(rate_per_second=500, connections=4),
    Poisson(rate_per_second=500, connections=4),
    Ramp(from_per_second=100, to_per_second=900, connections=4),
    Steps(steps=[OfferedStep(rate_per_second=500, seconds=0.2)], connections=4),
]


@pytest.fixture
def target(engine: Path) -> Iterator[str]:
    """The address of a target that answers `hello`."""
    command = [str(engine), "target", "--listen", "127.0.0.1:0", "--body", "hello"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield json.loads(process.stdout.readline())["address"]
        process.terminate()


def plan(address: str, **changes: Any) -> EnginePlan:
    expect = changes.pop("expect", Expectation())
    settings = {"stop": StopAfterRequests(requests=500), "load": Closed(connections=4)} | changes
    return EnginePlan(address=address, requests=[Request(name="hello", path="/", expect=expect)], **settings)


def test_every_request_is_accounted_for(target: str) -> None:
    events: list[dict[str, Any]] = []
    summary = run_engine(plan(target, expect=Expectation(body=ExactBody(text="hello"), check_every=1)), events.append)

    assert summary.verified == summary.answers == 500
    assert summary.checked_bodies == 500
    assert summary.service_time.count == 500
    assert sum(summary.errors.values()) == 0
    assert [event["state"] for event in events if event["event"] == "window"] == ["opened", "closed"]


def keys_in(value: Any, where: str = "summary") -> Iterator[str]:
    """All keys within a document, each with those above it."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield f"{where}.{key}"
            yield from keys_in(held, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for held in value:
            yield from keys_in(held, f"{where}[]")


@pytest.mark.parametrize("load", LOADS, ids=lambda load: load.kind)
def test_a_summary_has_all_keys_of_the_model_and_no_other(target: str, load: EngineLoad) -> None:
    """In real runs. `tests/record/test_engine_summary.py` looks at a summary in which each key has a value."""
    process = start_here(plan(target, load=load, stop=StopAfterSeconds(seconds=0.2)))
    assert process.stdout and process.stderr
    with process.stdout as lines, process.stderr:
        *_, last = lines
        process.wait()
    summary = json.loads(last)
    assert summary.pop("event") == "summary" and summary["answers"] > 0
    as_read = EngineSummary.of_event(last).model_dump(mode="json")
    assert set(keys_in(summary)) == set(keys_in(as_read))


def test_a_wrong_body_is_not_goodput(target: str) -> None:
    expect = Expectation(body=ExactBody(text="hullo"), check_every=1)
    summary = run_engine(plan(target, expect=expect), lambda event: None)

    assert summary.verified == 0
    assert summary.errors["wrong_body"] == 500
    assert summary.examples[0].excerpt == "hello"


def test_a_load_with_journeys_cannot_stand_still() -> None:
    closed = plan("127.0.0.1:1")
    journey = closed.model_copy(update={"requests": [Request(name="enter", path="/", journey="stay")]})
    assert closed.can_halt and not journey.can_halt


def test_a_connection_for_each_request(target: str) -> None:
    summary = run_engine(plan(target, requests_per_connection=1), lambda event: None)

    assert summary.verified == 500
    assert summary.connects == 500


def test_numbered_requests_are_acknowledged_from_the_begin_on(target: str) -> None:
    numbered = Request(name="numbered", path="/{{sequence 5}}", template=True, acknowledge=True)
    one_plan = plan(target, warmup_seconds=0.1).model_copy(update={"requests": [numbered]})
    summary = run_engine(one_plan, lambda event: None)

    assert summary.run_verified is not None
    assert summary.run_verified > summary.verified == 500
    assert summary.run_errors == 0
    assert summary.acknowledgements == [
        Acknowledgements(request="numbered", begun=summary.run_verified, not_acknowledged=[])
    ]


def test_a_location_is_looked_at(target: str) -> None:
    dataset = {
        "name": "links",
        "seed": 1,
        "rows": 10,
        "fields": [{"name": "id", "kind": "id"}, {"name": "url", "kind": "link", "prefix": "https://example.com/"}],
    }
    asked = Request(name="link", path="/{{field id}}", template=True, expect=Expectation(location_field="url"))
    one_plan = plan(target, dataset=dataset).model_copy(update={"requests": [asked]})
    summary = run_engine(one_plan, lambda event: None)

    assert summary.errors["wrong_header"] == 500
    assert summary.run_errors == 500


def test_a_plan_that_the_engine_refuses(target: str) -> None:
    with pytest.raises(Problem, match="threads"):
        run_engine(plan(target, threads=0), lambda event: None)


def test_an_interrupt_is_passed_on_unless_a_report_is_wanted(target: str) -> None:
    def interrupt(event: dict[str, Any]) -> None:
        if event["event"] == "progress":
            raise KeyboardInterrupt

    endless = plan(target, stop=StopAfterRequests(requests=10**9))
    with pytest.raises(KeyboardInterrupt):
        run_engine(endless, interrupt)
    raised = iter([True])

    def interrupt_once(event: dict[str, Any]) -> None:
        if event["event"] == "progress" and next(raised, False):
            raise KeyboardInterrupt

    summary = run_engine(endless, interrupt_once, report_when_interrupted=True)
    assert summary.interrupted
    assert summary.verified > 0


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "SPARE_SECONDS", 0.1)
    monkeypatch.setattr(events, "FIRST_WITHIN_SECONDS", 0.5)
    monkeypatch.setattr(events, "LOOK_EVERY_SECONDS", 0.05)


def the_engine() -> psutil.Process:
    """The one that this process has just started."""
    return next(child for child in psutil.Process().children() if "--die-with-parent" in command_of(child))


def command_of(process: psutil.Process) -> list[str]:
    """Its words; none of a process that has ended, such as an orphan of an earlier test that waits to be collected."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
@pytest.mark.usefixtures("soon")
def test_an_engine_that_is_stopped_or_killed_is_told_and_ended(target: str, number: signal.Signals) -> None:
    engines = []

    def strike(event: dict[str, Any]) -> None:
        if event["event"] == "progress" and not engines:  # what it had written before it was struck comes as well
            engines.append(the_engine())
            engines[0].send_signal(number)

    endless = plan(target, stop=StopAfterRequests(requests=10**9), timeout_seconds=0.2, progress_every_seconds=0.05)
    words = "has said nothing for" if number == signal.SIGSTOP else "ended with status -9"
    with pytest.raises(Problem, match=words):
        run_engine(endless, strike)
    assert not engines[0].is_running()


def test_an_engine_that_ends_before_it_reads_its_plan(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    """However long the plan is, the reason is told."""
    monkeypatch.setattr("fairtrial.engine.process.engine_binary", lambda: "false")
    with pytest.raises(Problem, match="ended with status 1"):
        run_engine(plan(target), lambda event: None)


@pytest.mark.usefixtures("soon")
def test_an_engine_that_never_reads_its_plan(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sleeper = tmp_path / "engine"
    sleeper.write_text("#!/bin/sh\nexec sleep 300\n")
    sleeper.chmod(0o755)
    monkeypatch.setattr("fairtrial.engine.process.engine_binary", lambda: sleeper)
    long = plan("127.0.0.1:1").model_copy(update={"requests": [Request(name="x", path="/" + "x" * 500_000)]})
    with pytest.raises(Problem, match="has said nothing for"):
        run_engine(long, lambda event: None)
    assert left_running(tmp_path) == []


def test_an_engine_that_cannot_be_started(
    monkeypatch: pytest.MonkeyPatch, target: str, tmp_path: Path, snapshot: object
) -> None:
    empty = tmp_path / "engine"
    empty.touch(mode=0o755)
    monkeypatch.setattr("fairtrial.engine.process.engine_binary", lambda: empty)
    with pytest.raises(Problem) as error:
        run_engine(plan(target), lambda event: None)
    assert str(error.value) == snapshot


def test_lines_that_came_together_wait_for_whoever_asks_again(target: str) -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb", buffering=0) as output, os.fdopen(write, "wb", buffering=0) as engine:
        engine.write(b"first\nsecond\nthird\nlas")
        lines = events.EngineLines(output, plan(target))
        assert next(iter(lines)) == b"first"
        assert next(iter(lines)) == b"second"
        engine.write(b"t\n")
        engine.close()
        assert list(lines) == [b"third", b"last"]
