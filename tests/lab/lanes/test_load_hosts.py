"""The load hosts of a lane: how one plan is divided over them, and what their clocks make uncertain."""

from typing import Any, cast

import pytest

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.engine import RemoteEngine
from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.lab.lanes import load_hosts
from fairtrial.lab.lanes.load_hosts import LoadHosts
from fairtrial.lab.lanes.remote_host import HostLost
from fairtrial.lab.placement import TrialHosts
from fairtrial.load.engine_terms import Closed, StopAfterSeconds
from fairtrial.record.placement import Placement

PLAN = EnginePlan(
    address="127.0.0.1:1",
    requests=[Request(name="any", path="/")],
    load=Closed(connections=8),
    stop=StopAfterSeconds(seconds=1),
    threads=4,
    cpus=[0, 1, 0, 1],
)


class SomeCluster:
    """Workers that are there, by their addresses."""

    def __init__(self, *workers: str) -> None:
        self.known = set(workers)

    def call(self, worker: str, *_: Any) -> None:
        if worker not in self.known:
            raise Problem(f"the worker at {worker} is lost")


def hosts_of(*workers: str) -> tuple[LoadHosts, SomeCluster]:
    cluster = SomeCluster(*workers)
    return LoadHosts([RemoteEngine(cast("Cluster", cluster), worker, "engine") for worker in workers]), cluster


@pytest.fixture
def offsets(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """By worker, how far its clock is ahead now, to within a millisecond."""
    now: dict[str, float] = {}
    monkeypatch.setattr(RemoteEngine, "clock", lambda engine: ClockOffset(now[engine.worker], 0.001))
    return now


@pytest.fixture
def joint_runs(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is asked of engines that share a plan, which are not started."""
    asked: list[dict[str, Any]] = []

    class Asked:
        process = None

        def __init__(self, _engines: Any, plan: EnginePlan, **more: Any) -> None:
            asked.append({"plan": plan, **more})

    monkeypatch.setattr(load_hosts, "JointEngines", Asked)
    return asked


def test_threads_of_the_plan_are_those_of_all_hosts(
    offsets: dict[str, float], joint_runs: list[dict[str, Any]]
) -> None:
    offsets |= {"a": 1.0, "b": -2.0}
    hosts, _ = hosts_of("a", "b")
    hosts.start(PLAN)
    (asked,) = joint_runs
    assert (asked["plan"].threads, asked["plan"].cpus) == (2, [0, 1, 0, 1])
    assert [clock.ahead_seconds for clock in asked["monotonic"]] == [1.0, -2.0]


def test_what_a_clock_has_changed_since_the_run_may_be_wrong(
    offsets: dict[str, float], joint_runs: list[dict[str, Any]]
) -> None:
    offsets |= {"a": 1.0, "b": -2.0}
    hosts, _ = hosts_of("a", "b")
    assert hosts.clock() == ClockOffset(0.0, 0.001)
    hosts.start(PLAN)
    offsets["b"] = -2.25
    after = hosts.clock()
    assert after.ahead_seconds == 0.0 and after.error_seconds == pytest.approx(0.251)


def test_of_one_host_the_clock_is_its_own(offsets: dict[str, float]) -> None:
    offsets["a"] = 1.5
    assert hosts_of("a")[0].clock() == ClockOffset(1.5, 0.001)


def test_each_of_several_hosts_is_looked_for() -> None:
    hosts, cluster = hosts_of("a", "b")
    hosts.assert_connected()
    cluster.known.remove("b")
    with pytest.raises(HostLost, match="worker at b is lost"):
        hosts.assert_connected()


def test_calibrations_run_on_the_processors_of_a_trial() -> None:
    placement = Placement(load_cpus=[0, 1, 4, 5], server_cpus=[0], disjoint=True, load_elsewhere=True, load_hosts=2)
    assert [placement.load_threads(None, connections) for connections in (16, 3, 2)] == [4, 2, 2]
    assert [placement.load_places(threads) for threads in (4, 2)] == [[0, 1, 2, 3], [0, 2]]
    asked: list[int] = []

    def start_on(host: int) -> Any:
        asked.append(host)
        return host

    trial_hosts = TrialHosts(start_on=start_on)
    assert [trial_hosts.start_at(placement, place) for place in placement.load_places(4)] == [0, 0, 1, 1] == asked
