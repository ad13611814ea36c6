"""The load of a trial: the engine's runs, with the meters and the changed rows beside them."""

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.plan import Closed, Constant, EngineLoad, EnginePlan, Poisson, StopAfterRequests, StopAfterSeconds
from fairtrial.engine.run import run_engine
from fairtrial.experiment.loads import (
    CapacityLoad,
    ClosedLoad,
    FixedLoad,
    OpenLoad,
    ProgramLoad,
    SingleRunLoad,
    engine_threads,
)
from fairtrial.lab.meters.connections import connections_to
from fairtrial.lab.meters.machine import MachineWatch
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.lab.meters.tree import TreeMeter
from fairtrial.lab.trial.capacity import search
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.lab.trial.freshness import SHORTEST_WINDOW_SECONDS, FreshnessTest, chosen_keys
from fairtrial.lab.trial.request_numbers import continued, rows_left
from fairtrial.record.engine_summary import EngineSummary

DRAWS_APART = 1_000_003
"""Between the seeds of two draws of one trial: further apart than blocks are, whose seeds follow one another."""

WindowHandler = Callable[[str], None]
"""Called with `opened` and `closed` when the engine's window does so, and now and then before with `warming up`."""


class StackEnded(Exception):
    """The stack ended by itself while it was needed."""


def offer_load(context: TrialContext, deployment: Deployment) -> None:
    """Offer the trial's load, and put what is measured into the record.

    Raises:
        StackEnded: the stack did, meanwhile.
        Problem: the database, the balancer or the engine failed.
    """
    try:
        _offer(context, deployment)
    finally:
        own = _workload(context).own
        if context.environment.reference is not None and context.comparisons and own is not None:
            context.record.equal_answers = context.environment.reference.of_runs(context.comparisons, own.secrets)


def _offer(context: TrialContext, deployment: Deployment) -> None:
    load = context.condition.load
    assert not isinstance(load, ProgramLoad)
    if not isinstance(load, CapacityLoad):
        _measure(context, deployment, load)
        return

    def probe(rate_per_second: float, seconds: float, confirming: bool) -> EngineSummary:
        at_rate = load.at_rate(rate_per_second, seconds)
        return _measure(context, deployment, at_rate) if confirming else run_once(context, deployment, at_rate)

    context.record.capacity = search(load, probe)


def _measure(context: TrialContext, deployment: Deployment, load: SingleRunLoad) -> EngineSummary:
    """One run with everything beside it that a trial's record holds."""
    record, service, point = context.record, context.service, context.point
    probe = _workload(context).freshness
    keys = _changing_keys(context, load)
    server_meter = TreeMeter(*deployment.roots) if deployment.roots else None
    service_meter = TreeMeter(service.pid) if service.pid is not None else None
    meters = [meter for meter in (server_meter, service_meter) if meter is not None]
    machine, network = MachineWatch(context.placement.server_cpus), NetworkWatch()
    freshness = FreshnessTest(probe, point.data, keys, deployment.url, service) if probe and keys else None
    during_load = probe is not None and probe.during_load

    def on_window(state: str) -> None:
        if state == "warming up":
            _count_connections(context, deployment)
        elif state == "opened":
            machine.open()
            network.open()
            for meter in meters:
                meter.open()
            if freshness is not None and during_load:
                freshness.begin()
        else:
            record.server = None if server_meter is None else server_meter.close()
            record.service = None if service_meter is None else service_meter.close()
            record.machine, record.network = machine.close(), network.close()
            _count_connections(context, deployment)

    try:
        record.engine = run_once(context, deployment, load, keys, on_window)
        if freshness is not None:
            if not during_load:
                freshness.begin()
            record.freshness = freshness.result()
    finally:
        for meter in meters:
            meter.abandon()
    return record.engine


def _count_connections(context: TrialContext, deployment: Deployment) -> None:
    """Record how many connections the stack holds to its database, and past proxies, if they are more than before.

    This is done outside of the window, which it would disturb. Nothing is recorded where its processes are not known.
    """
    if not deployment.roots:
        return
    record, database = context.record, context.condition.service
    for service, its_server in context.services:
        proxied = context.urls.get(service.name)
        if service is database:
            held = _connections_to(proxied or its_server.url, service, deployment)
            if held is not None:
                record.database_connections = max(held, record.database_connections or 0)
        if proxied is not None:
            held = _connections_to(its_server.url, service, deployment)
            if held is not None:
                record.connections_past_proxies[service.name] = max(
                    held, record.connections_past_proxies.get(service.name, 0)
                )


def _connections_to(url: str, service: Service, deployment: Deployment) -> int | None:
    """How many connections the stack holds there; None where they cannot be told apart or counted."""
    port = _port(url, service)
    return None if port is None else connections_to(port, *deployment.roots)


def _port(url: str, service: Service) -> int | None:
    """The port that a URL names, or else the one on which the product listens; None if there is not a single one."""
    try:
        return urlsplit(url).port or service.port
    except ValueError:  # several hosts, each with a port
        return None


def run_once(
    context: TrialContext,
    deployment: Deployment,
    load: SingleRunLoad,
    keys: Sequence[int] = (),
    on_window: WindowHandler = lambda _state: None,
    *,
    draw: int = 0,
) -> EngineSummary:
    """One run of the engine, which joins those of the trial.

    Args:
        keys: of rows that are changed meanwhile.
        draw: which of the trial's random draws: runs with the same number, of whatever condition, send the same.

    Raises:
        StackEnded: the stack did, meanwhile.
        Problem: the database, the balancer or the engine failed.
    """

    def on_event(event: dict[str, Any]) -> None:
        if event["event"] == "window":
            on_window(event["state"])
        elif deployment.status() is not None:
            raise StackEnded
        elif fault := context.service.fault() or deployment.fault():
            raise Problem(fault, "this trial was discarded; the next one begins with a new process")
        elif event["event"] == "progress" and event["phase"] == "warmup":
            on_window("warming up")
        context.watcher.engine_event(event)

    plan = _engine_plan(context, deployment, load, keys)
    summary = run_engine(plan.model_copy(update={"seed": plan.seed + DRAWS_APART * draw}), on_event)
    if summary.comparison is not None:
        context.comparisons.append(summary.comparison)
        summary = summary.model_copy(update={"comparison": None})
    context.engine_runs.append(summary)
    return summary


def _engine_plan(context: TrialContext, deployment: Deployment, load: SingleRunLoad, keys: Sequence[int]) -> EnginePlan:
    workload, point, cpus = _workload(context), context.point, context.placement.load_cpus
    during_load = workload.freshness is not None and workload.freshness.during_load
    requests = continued(workload.requests(point.data, point.options), context.engine_runs)
    reference = context.environment.reference
    return EnginePlan(
        address=deployment.address,
        host=deployment.host,
        tls=deployment.tls,
        requests=requests if reference is None else reference.compared(requests),
        rows={} if workload.own is None else rows_left(workload.own.rows, context.engine_runs),
        secrets={} if workload.own is None else dict(workload.own.secrets),
        load=engine_load(load),
        stop=StopAfterRequests(requests=load.requests)
        if isinstance(load, FixedLoad)
        else StopAfterSeconds(seconds=load.duration_seconds),
        warmup_seconds=load.warmup_seconds,
        requests_per_connection=None if load.keep_alive else 1,
        timeout_seconds=load.timeout_seconds,
        threads=engine_threads(load.threads, load.connections, len(cpus)),
        cpus=cpus,
        seed=context.draws_seed,
        dataset=point.data.dataset.spec if point.data.dataset else None,
        changing_rows=list(keys) if keys and during_load else None,
        reference=None if reference is None else reference.plan(),
    )


def engine_load(load: SingleRunLoad) -> EngineLoad:
    """The load in the engine's own terms."""
    if isinstance(load, OpenLoad):
        kind = Poisson if load.arrivals == "poisson" else Constant
        return kind(rate_per_second=load.rate_per_second, connections=load.connections)
    ports = load.local_ports if isinstance(load, ClosedLoad) else None
    return Closed(connections=load.connections, local_ports=ports)


def _changing_keys(context: TrialContext, load: SingleRunLoad) -> Sequence[int]:
    """The keys of the rows that are changed during the load or after it; none where the window is too short for it."""
    probe = _workload(context).freshness
    if probe is None:
        return []
    long_enough = load.window_seconds is not None and load.window_seconds >= SHORTEST_WINDOW_SECONDS
    if probe.during_load and not long_enough:
        return []
    return chosen_keys(probe, context.point.data, context.point.experiment.seed + context.trial.index)


def _workload(context: TrialContext) -> ServerWorkload:
    assert isinstance(context.plan.workload, ServerWorkload)
    return context.plan.workload
