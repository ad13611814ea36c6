"""The load of a trial: the engine's runs, with the meters and the changed rows beside them."""

import time
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import urlsplit

from fairtrial.base.clock_offset import over_time
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Service
from fairtrial.engine.idle import IdleProcess
from fairtrial.engine.in_turn import EngineInTurn
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.process import EngineProcess
from fairtrial.engine.run import EventHandler, run_engine
from fairtrial.engine.windows import PartHandler
from fairtrial.experiment.workload_file.websocket import is_broadcast
from fairtrial.lab.meters.connections import Connections, connections_to
from fairtrial.lab.meters.window import Window
from fairtrial.lab.trial.capacity import search
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.deployment import Deployment
from fairtrial.lab.trial.events import EngineEvent
from fairtrial.lab.trial.freshness import freshness_after_load
from fairtrial.lab.trial.idle_connections import idle_connections
from fairtrial.lab.trial.request_numbers import continued, rows_left
from fairtrial.lab.trial.row_changes import SHORTEST_WINDOW_SECONDS, RowChanges
from fairtrial.lab.trial.spot_checks import with_spot_checks
from fairtrial.lab.trial.waiting import wait_of
from fairtrial.lab.trial.window_books import WindowBooks
from fairtrial.load.capacity import CapacityLoad
from fairtrial.load.engine_terms import StopAfterSeconds
from fairtrial.load.request_load import OneRunLoad
from fairtrial.record.engine_summary import EngineSummary

DRAWS_APART = 1_000_003
"""Between the seeds of two draws of one trial."""

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
        record_comparisons(context)


def record_comparisons(context: TrialContext) -> None:
    """Put into the record how the answers of all runs so far compare with those of the reference, if there is one."""
    reference = context.environment.reference
    if reference is not None and context.comparisons:
        context.record.equal_answers = reference.of_runs(context.comparisons, context.plan.workload.secrets)


def _offer(context: TrialContext, deployment: Deployment) -> None:
    load = context.condition.load
    if not load.idle_connections:
        _offer_beside(context, deployment, None)
        return
    plan = engine_plan(context, deployment, load.single_run())
    with idle_connections(context, deployment, plan, load.idle_connections) as idle:
        _offer_beside(context, deployment, idle)


def _offer_beside(context: TrialContext, deployment: Deployment, idle: IdleProcess | None) -> None:
    load = context.condition.load
    if not isinstance(load, CapacityLoad):
        _measure(context, deployment, load.single_run(), idle)
        return

    def probe(rate_per_second: float, seconds: float, confirming: bool) -> EngineSummary:
        at_rate = load.at_rate(rate_per_second, seconds)
        return _measure(context, deployment, at_rate, idle) if confirming else run_once(context, deployment, at_rate)

    requests = context.server_workload.requests(context.point.data, context.point.options)
    offset = Random(f"{context.draws_seed} {context.trial.index}").random()  # noqa: S311 (a rate, not a secret)
    are_messages = context.server_workload.websocket is not None
    context.record.capacity = search(load, probe, requests, are_messages=are_messages, offset=offset)


def _measure(
    context: TrialContext, deployment: Deployment, load: OneRunLoad, idle: IdleProcess | None
) -> EngineSummary:
    """One run with everything beside it that a trial's record holds."""
    record, service = context.record, context.service
    servers = [server for _, server in context.services]
    window = Window(context.placement.server_cpus, servers, deployment.roots, deployment.balancer_meter())
    probe = context.server_workload.freshness
    changes, books = row_changes(context, load), WindowBooks(context)

    def on_window(state: str) -> None:
        if state == "warming up":
            count_connections(context, deployment)
        elif state == "opened":
            opened = time.monotonic()
            window.open()
            if changes is not None:
                changes.begin(opened)
            books.open()
            if idle is not None:
                idle.begin_window()
        else:
            books.close()
            window.close()
            if idle is not None:
                idle.end_window()
            window.put_into(record)
            count_connections(context, deployment)

    try:
        record.engine = _run_with_changes(context, deployment, load, on_window, changes)
        record.window_work.append(books.result(record.engine))
        record.load_hosts = list(context.environment.trial_hosts.load_hosts())
        if probe is not None:
            headers = common_headers(context)
            client = deployment.client()
            record.freshness = freshness_after_load(probe, context.point.data, headers, client, service)
    finally:
        window.abandon()
    return record.engine


def _run_with_changes(
    context: TrialContext,
    deployment: Deployment,
    load: OneRunLoad,
    on_window: WindowHandler,
    changes: RowChanges | None,
) -> EngineSummary:
    """`run_once`, while clauses of the contract are tried, and rows change that its answers show."""

    def adapted(plan: EnginePlan) -> EnginePlan:
        changed = plan if changes is None else changes.applied_to(plan)
        return with_spot_checks(changed, context.server_workload, context.point, common_headers(context))

    if changes is None:
        return run_once(context, deployment, load, on_window, adapted=adapted)
    try:
        changes.before_load()
        summary = run_once(context, deployment, load, on_window, adapted=adapted, changes=changes)
    except BaseException:
        changes.abandon()
        raise
    context.record.row_changes = changes.result()
    changes.end()
    return summary


def row_changes(context: TrialContext, load: OneRunLoad) -> RowChanges | None:
    """Rows to change under the load; None where it reads none that could be stale, or is too short for them."""
    workload, point = context.server_workload, context.point
    window_seconds = load.window_seconds or 0.0
    if workload.freshness is None or window_seconds < SHORTEST_WINDOW_SECONDS:
        return None
    requests = workload.requests(point.data, point.options)
    return RowChanges(workload.freshness, point.data, requests, context.service, window_seconds)


def count_connections(context: TrialContext, deployment: Deployment) -> None:
    """Record how many connections the stack holds to its database, and past proxies, if they are more than before.

    This is done outside of the window, which it would disturb. Nothing is recorded where its processes are not known.
    """
    if not deployment.roots:
        return
    record, database = context.record, context.condition.service
    for service, server in context.services:
        proxied = context.urls.get(service.name)
        if service is database:
            connections = _connections_to(proxied or server.url, service, deployment, with_work=True)
            if connections is not None:
                record.database_connections = max(connections.number, record.database_connections or 0)
                record.worked_connections = max(connections.at_work, record.worked_connections or 0)
        if proxied is not None:
            beside = _connections_to(server.url, service, deployment)
            if beside is not None:
                record.connections_past_proxies[service.name] = max(
                    beside.number, record.connections_past_proxies.get(service.name, 0)
                )


def _connections_to(
    url: str, service: Service, deployment: Deployment, *, with_work: bool = False
) -> Connections | None:
    """The connections that the stack holds there; None where they cannot be told apart or counted."""
    port = port_of(url, service)
    return None if port is None else connections_to(port, *deployment.roots, with_work=with_work)


def port_of(url: str, service: Service) -> int | None:
    """The port that a URL names, or else the one on which the product listens; None if there is not a single one."""
    try:
        return urlsplit(url).port or service.port
    except ValueError:  # several hosts, each with a port
        return None


def run_once(
    context: TrialContext,
    deployment: Deployment,
    load: OneRunLoad,
    on_window: WindowHandler = lambda _state: None,
    *,
    draw: int = 0,
    adapted: Callable[[EnginePlan], EnginePlan] = lambda plan: plan,
    changes: RowChanges | None = None,
    on_part: PartHandler | None = None,
    engine: EngineInTurn | None = None,
) -> EngineSummary:
    """One run of the engine, which joins those of the trial.

    Args:
        adapted: makes of the plan the one that is carried out, for what happens beside the load.
        changes: of rows that its answers show; they are told what these showed.
        on_part: is given what the window can be joined with others by.
        engine: carries it out, and goes on; None: one that ends with it.
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
        elif fault := context.fault() or deployment.fault():
            raise Problem(fault, "this trial was discarded; the next one begins with a new process")
        elif event["event"] == "progress" and event["phase"] == "warmup":
            on_window("warming up")
        context.watcher(EngineEvent(event))

    plan = adapted(engine_plan(context, deployment, load))
    trial_hosts = context.environment.trial_hosts
    clock = trial_hosts.engine_clock()
    seeded_plan = plan.model_copy(update={"seed": plan.seed + DRAWS_APART * draw})
    start = trial_hosts.start if engine is None else engine.start
    summary = run_engine(seeded_plan, on_event, start=start, on_part=on_part, goes_on=engine is not None)
    if summary.comparison is not None:
        context.comparisons.append(summary.comparison)
        summary = summary.model_copy(update={"comparison": None})
    if changes is not None and summary.sightings is not None:
        changes.saw(summary.sightings, over_time(clock, trial_hosts.engine_clock()))
        summary = summary.model_copy(update={"sightings": None})
    context.engine_runs.append(summary)
    return summary


def offer_watched_load(
    context: TrialContext,
    deployment: Deployment,
    load: OneRunLoad,
    on_event: EventHandler,
    at_least_seconds: float,
    progress_every_seconds: float | None = None,
    on_halting_engine: Callable[[EngineProcess], None] | None = None,
) -> None:
    """Offer a load that is in no figure, with spot checks as in a trial, until `on_event` raises StopEarly.

    Args:
        at_least_seconds: how long it goes on, unless it is longer by itself.
        progress_every_seconds: how often `on_event` hears of the progress; None: as in a trial.
        on_halting_engine: is given the engine, if signals to it have this load stand still.
    """
    start = context.environment.trial_hosts.start
    plan = engine_plan(context, deployment, load)
    window_seconds = plan.stop.seconds if isinstance(plan.stop, StopAfterSeconds) else 0.0
    plan = plan.model_copy(
        update={
            "stop": StopAfterSeconds(seconds=max(window_seconds, at_least_seconds)),
            "progress_every_seconds": progress_every_seconds or plan.progress_every_seconds,
        }
    )
    plan = with_spot_checks(plan, context.server_workload, context.point, common_headers(context))
    halts = on_halting_engine is not None and plan.can_halt

    def started(plan: EnginePlan) -> EngineProcess:
        engine = start(plan)
        if on_halting_engine is not None and plan.halts:
            on_halting_engine(engine)
        return engine

    plan = plan.model_copy(update={"halts": halts or None})
    context.engine_runs.append(run_engine(plan, on_event, start=started))


def engine_plan(context: TrialContext, deployment: Deployment, load: OneRunLoad) -> EnginePlan:
    """The plan of one run of the engine, which continues those before it."""
    workload, point, cpus = context.server_workload, context.point, context.placement.load_cpus
    requests = continued(workload.requests(point.data, point.options), context.engine_runs)
    reference = context.environment.reference
    return EnginePlan(
        address=deployment.address,
        other_addresses=deployment.other_addresses,
        host=deployment.host,
        tls=deployment.tls,
        requests=requests if reference is None else reference.compared(requests),
        rows=rows_left(workload.given_rows, context.engine_runs),
        secrets=dict(workload.secrets),
        setup=list(workload.setup),
        cookies=workload.cookies,
        websocket=workload.websocket,
        threads=1
        if is_broadcast(workload.websocket)
        else context.placement.load_threads(load.threads, load.connections),
        cpus=cpus,
        wait=wait_of(context.condition, context.environment.placement),
        seed=context.draws_seed,
        nonce_key=context.nonce_key,
        progress_every_seconds=context.environment.trial_hosts.progress_every_seconds,
        dataset=point.data.dataset.spec if point.data.dataset else None,
        reference=None if reference is None else reference.plan(),
        **load.engine_terms(),
    )


def common_headers(context: TrialContext) -> list[tuple[str, str]]:
    """The headers that the engine sends with every request of the workload that has no body.

    The lab's own requests of a trial have them, too, so that no stack tells by them who asks.
    """
    workload, point = context.server_workload, context.point
    header_sets = [
        set(request.headers) for request in workload.requests(point.data, point.options) if request.body is None
    ]
    return sorted(set.intersection(*header_sets)) if header_sets else []
