"""Several engines that offer one load: merged without loss, begun together, and none without the others."""

import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.loopback import LOOPBACK
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.engine import CarriedProcess, RemoteEngine
from fairtrial.cluster.joint import JointEngines, by_clock_here
from fairtrial.engine.binary import engine_binary
from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.engine.run import run_engine
from fairtrial.lab.calibrate import idle_target
from fairtrial.load.engine_terms import Closed, Constant, StopAfterSeconds
from fairtrial.record.engine_summary import Distribution, EngineSummary
from fairtrial.record.histogram import read_histogram

HOSTS = [RemoteEngine(cast("Cluster", None), f"tcp://10.0.0.{host}:1", "") for host in (1, 2)]


class LocalEngine:
    """An engine of this machine in the place of one on a worker's host: a `RemoteProgram`."""

    late_seconds: float = 0.0
    """how late the second host begins"""
    status: int | None

    def __init__(self, location: RemoteEngine, plan: EnginePlan) -> None:
        self.worker, self.plan = location.worker, plan
        self.status, self.errors = None, b""
        command = [str(engine_binary()), "run", "--die-with-parent", "--hold"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        self.say(plan.to_json())

    def lines(self) -> Iterator[bytes]:
        assert self.process.stdout and self.process.stderr
        for line in self.process.stdout:
            yield line.rstrip(b"\n")
        self.errors = self.process.stderr.read()
        self.status = self.process.wait()

    def say(self, line: str) -> None:
        if line.startswith("go") and self.worker == HOSTS[1].worker:
            line = f"go {float(line.split()[1]) + self.late_seconds:.9f}"
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n")

    def send_signal(self, number: int) -> None:
        self.process.send_signal(number)

    def release(self) -> None:
        self.process.kill()


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[LocalEngine]]:
    """Those that a test starts, which end with it."""
    started: list[LocalEngine] = []

    def start(location: RemoteEngine, plan: EnginePlan, *, on_hold: bool, quiet_seconds: float) -> LocalEngine:
        assert on_hold and not quiet_seconds
        started.append(LocalEngine(location, plan))
        return started[-1]

    monkeypatch.setattr(RemoteEngine, "start", start)
    monkeypatch.setattr(RemoteEngine, "clock", lambda _engine, _clock: ClockOffset(0.0, 1e-4))
    yield started
    for engine in started:
        engine.process.kill()
        engine.process.wait()
        for pipe in (engine.process.stdin, engine.process.stdout, engine.process.stderr):
            if pipe:
                pipe.close()


@pytest.fixture(scope="module")
def target(engine: Path) -> Iterator[str]:
    with idle_target([], [], LOOPBACK) as address:
        yield address


def plan_on(address: str, load: Closed | Constant, seconds: float = 0.4) -> EnginePlan:
    return EnginePlan(
        address=address,
        requests=[Request(name="any", path="/")],
        load=load,
        stop=StopAfterSeconds(seconds=seconds),
        progress_every_seconds=0.1,
    )


def offered(
    plan: EnginePlan, runs: list[JointEngines], on_event: Callable[[dict[str, Any]], None] = lambda _event: None
) -> EngineSummary:
    """Offer a load, of which `runs` gets the engines."""

    def start(plan: EnginePlan) -> CarriedProcess:
        runs.append(JointEngines(HOSTS, plan))
        return runs[-1].process

    return run_engine(plan, on_event, start=start)


def bins(times: Distribution) -> Counter[tuple[float, float]]:
    return Counter(
        {(bin_.low_seconds, bin_.high_seconds): bin_.count for bin_ in read_histogram(times.hdr_base64).buckets}
    )


@pytest.mark.parametrize("load", [Closed(connections=4), Constant(rate_per_second=500, connections=4)])
def test_the_whole_is_the_sum_of_what_each_host_did(
    engines: list[LocalEngine], target: str, load: Closed | Constant
) -> None:
    runs: list[JointEngines] = []
    summary = offered(plan_on(target, load), runs)
    (hosts,) = (run.accounts for run in runs)
    assert [host.worker for host in hosts] == [host.worker for host in HOSTS]
    assert bins(summary.response_time) == sum((bins(host.response_time) for host in hosts), Counter())
    for key in ("offered", "sent", "answers", "verified", "failures"):
        assert getattr(summary, key) == sum(getattr(host, key) for host in hosts), key
    assert [host.connections for host in hosts] == [2, 2] and len(summary.threads) == 2
    assert [host.is_open for host in hosts] == [isinstance(load, Constant)] * 2
    assert min(host.opened_after_seconds for host in hosts) == 0.0
    assert "windows of the hosts opened " in runs[0].apart
    if isinstance(load, Constant):  # arrivals are interleaved: every second one each
        assert [host.offered for host in hosts] == [100, 100]


def test_a_late_host_is_refused(engines: list[LocalEngine], target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalEngine, "late_seconds", 0.3)
    runs: list[JointEngines] = []
    with pytest.raises(Problem, match=r" ms apart, .*; at most 50\.0 ms"):
        offered(plan_on(target, Closed(connections=2)), runs)
    assert runs[0].accounts == [] and runs[0].apart


def test_one_that_is_lost_ends_all(engines: list[LocalEngine], target: str) -> None:
    runs: list[JointEngines] = []

    def kill_one(event: dict[str, Any]) -> None:
        if event["event"] == "window" and event["state"] == "opened":
            engines[1].process.send_signal(signal.SIGKILL)

    with pytest.raises(Problem, match="ended"):
        offered(plan_on(target, Closed(connections=2), seconds=60), runs, kill_one)
    assert engines[0].process.wait(10) is not None and runs[0].accounts == []


def test_times_of_another_host_are_set_by_the_clock_here() -> None:
    part = {"record": {"sightings": {"kept": [[7, 1, 5_000_000_000], [8, 0, 1]], "count": 2}}}
    by_clock_here(part, ClockOffset(2.5, 0.001))
    assert part["record"]["sightings"]["kept"] == [(7, 1, 2_500_000_000), (8, 0, 0)]
    none: dict[str, Any] = {"record": {"sightings": None}}
    by_clock_here(none, ClockOffset(2.5, 0.001))
    assert none == {"record": {"sightings": None}}
