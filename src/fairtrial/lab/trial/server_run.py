"""The load of a trial: the engine's runs, with the meters and the changed rows beside them."""

from collections.abc import Sequence
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.plan import Closed, Constant, EngineLoad, EnginePlan, Poisson, StopAfterRequests, StopAfterSeconds
from fairtrial.engine.run import run_engine
from fairtrial.experiment.loads import CapacityLoad, FixedLoad, OpenLoad, ProgramLoad, ServerLoad, engine_threads
from fairtrial.lab.meters.machine import MachineWatch
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.capacity import search
from fairtrial.lab.trial.contender import Contender
from fairtrial.lab.trial.context import Attended
from fairtrial.lab.trial.freshness import SHORTEST_WINDOW_SECONDS, FreshnessTest, chosen_keys
from fairtrial.lab.trial.request_numbers import going_on
from fairtrial.record.model import EngineSummary


class StackEnded(Exception):
    """The stack ended by itself while it was needed."""


def offer(attended: Attended, running: Contender) -> None:
    """Offer the trial's load; what is measured goes into `attended.observed`.

    Raises:
        StackEnded: the stack did, meanwhile.
        Problem: the database, the balancer or the engine failed.
    """
    load = attended.trial.condition.load
    assert not isinstance(load, ProgramLoad)
    if not isinstance(load, CapacityLoad):
        _measure(attended, running, load)
        return

    def probe(rate_per_second: float, seconds: float, confirming: bool) -> EngineSummary:
        one = load.at_rate(rate_per_second, seconds)
        return _measure(attended, running, one) if confirming else _run(attended, running, one, [])

    attended.observed.capacity = search(load, probe)


def _measure(attended: Attended, running: Contender, load: ServerLoad) -> EngineSummary:
    """One run with everything beside it that a trial's record holds."""
    setting, observed, service = attended.setting, attended.observed, attended.service
    changing = _workload(attended).freshness
    keys = _changing_keys(attended, load)
    meters = [TreeMeter(*running.pids), *([TreeMeter(service.pid)] if service.pid is not None else [])]
    machine, network = MachineWatch(setting.placement.server_cpus), NetworkWatch()
    freshness = FreshnessTest(changing, setting.data, keys, running.url, service) if changing and keys else None

    def on_window(state: str) -> None:
        if state == "opened":
            machine.open()
            network.open()
            for meter in meters:
                meter.open()
            if freshness is not None and changing is not None and changing.during_load:
                freshness.begin()
        else:
            observed.server, observed.service = [meter.close() for meter in meters] + [None] * (2 - len(meters))
            observed.machine, observed.network = machine.close(), network.close()

    try:
        observed.engine = _run(attended, running, load, keys, on_window)
        if freshness is not None and changing is not None:
            if not changing.during_load:
                freshness.begin()
            observed.freshness = freshness.result()
    finally:
        for meter in meters:
            meter.abandon()
    return observed.engine


def _workload(attended: Attended) -> ServerWorkload:
    workload = attended.setting.workload
    assert isinstance(workload, ServerWorkload)
    return workload


def _run(
    attended: Attended, running: Contender, load: ServerLoad, keys: Sequence[int], on_window: Any = lambda _state: None
) -> EngineSummary:
    def on_event(event: dict[str, Any]) -> None:
        if event["event"] == "window":
            on_window(event["state"])
        elif running.status() is not None:
            raise StackEnded
        elif fault := attended.service.fault() or running.fault():
            raise Problem(fault, "the trial is worth nothing without it; the next one begins with a new one")
        attended.watcher.engine_event(event)

    summary = run_engine(_plan(attended, running, load, keys), on_event)
    attended.observed.runs.append(summary)
    return summary


def _plan(attended: Attended, running: Contender, load: ServerLoad, keys: Sequence[int]) -> EnginePlan:
    setting, workload = attended.setting, _workload(attended)
    data, cpus = setting.data, setting.placement.load_cpus
    during = workload.freshness is not None and workload.freshness.during_load
    return EnginePlan(
        address=running.address,
        requests=going_on(workload.requests(data, setting.options), attended.observed.runs),
        load=engine_load(load),
        stop=StopAfterRequests(requests=load.requests)
        if isinstance(load, FixedLoad)
        else StopAfterSeconds(seconds=load.duration_seconds),
        warmup_seconds=load.warmup_seconds,
        requests_per_connection=None if load.keep_alive else 1,
        timeout_seconds=load.timeout_seconds,
        threads=engine_threads(load.threads, load.connections, len(cpus)),
        cpus=cpus,
        # The same in all trials of a block: they are compared with each other.
        seed=setting.experiment.seed + attended.trial.block,
        dataset=data.dataset.spec if data.dataset else None,
        changing_rows=list(keys) if keys and during else None,
    )


def engine_load(load: ServerLoad) -> EngineLoad:
    """The load as the engine is told it."""
    if isinstance(load, OpenLoad):
        kind = Poisson if load.arrivals == "poisson" else Constant
        return kind(rate_per_second=load.rate_per_second, connections=load.connections)
    return Closed(connections=load.connections)


def _changing_keys(attended: Attended, load: ServerLoad) -> Sequence[int]:
    """Of the rows that are changed while the load runs, or after it; none where the window is too short for it."""
    setting, changing = attended.setting, _workload(attended).freshness
    if changing is None:
        return []
    lasts = not isinstance(load, FixedLoad) and load.duration_seconds >= SHORTEST_WINDOW_SECONDS
    if changing.during_load and not lasts:
        return []
    return chosen_keys(changing, setting.data, setting.experiment.seed + attended.trial.index)
