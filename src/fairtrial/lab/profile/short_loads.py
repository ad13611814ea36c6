"""Short loads whose requests' time is taken apart: by one client, in which none waits for another, and as in a trial.

The kernel tells how long the stack and the database ran (schedstat, proc(5)), and what is unread in sockets; a proxy
tells how long the database was waited for. The contender is not changed.
"""

from collections.abc import Callable

from fairtrial.engine.plan import EnginePlan
from fairtrial.lab.meters.kernel import KernelWatch
from fairtrial.lab.profile.unread import UnreadWatch
from fairtrial.lab.trial.offered_load import engine_plan, run_once
from fairtrial.lab.trial.up import UpContender
from fairtrial.load.engine_terms import Closed, StopAfterSeconds
from fairtrial.load.request_load import OneRunLoad
from fairtrial.record.profile import KernelCounters, ShortLoad, TimedRoundTrips

LOADS = 5
"""As many as a run has blocks before it may end: they give each part its interval."""
SECONDS = 0.6
WARMUP_SECONDS = 0.2
WINDOW_RESPONSES, WARMUP_RESPONSES = 10, 2
"""How many mean response times a load lasts at least, so that most requests of a window begin and end in it."""
MOST_SECONDS = 3.0
FIRST_DRAW = 2
"""The loads before have the first two of the trial's draws."""


class TreeWatches:
    """The kernel's counts of a stack's processes, and of its database's."""

    def __init__(self, contender: UpContender) -> None:
        roots, pid = contender.deployment.roots, contender.context.service.pid
        self._server = KernelWatch(*roots) if roots else None
        self._service = None if pid is None else KernelWatch(pid)

    def open(self) -> None:
        """Open the window."""
        for watch in (self._server, self._service):
            if watch is not None:
                watch.open()

    def close(self) -> tuple[KernelCounters | None, KernelCounters | None]:
        """Close the window; None for processes that are not known."""
        server, service = (None if watch is None else watch.close() for watch in (self._server, self._service))
        return server, service


class _PartWatches:
    """All that tells the parts, from `open` to `close`. Both raise Problem: a proxy does not tell."""

    def __init__(self, contender: UpContender, plan: EnginePlan) -> None:
        context, deployment = contender.context, contender.deployment
        self._trees = TreeWatches(contender)
        self._proxy = context.proxies.get(context.condition.service.name)
        # A connection that has many requests in it, or one only, does not tell how many are unread.
        is_one_in_each = (
            plan.http2 is None and plan.http3 is None and plan.pipeline == 1 and plan.requests_per_connection is None
        )
        port = int(deployment.address.rpartition(":")[2])
        ports = [instance.port for instance in deployment.instances]
        self._unread = UnreadWatch(port, ports) if is_one_in_each else None

    def open(self) -> None:
        self._trees.open()
        self._begun = None if self._proxy is None else self._proxy.so_far()
        if self._unread is not None:
            self._unread.open()

    def close(self) -> dict[str, object]:
        """The fields of a ShortLoad."""
        unread = None if self._unread is None else self._unread.close()
        round_trips = self._round_trips()
        server, service = self._trees.close()
        return {"server": server, "service": service, "round_trips": round_trips, "unread": unread}

    def end(self) -> None:
        """Also of a window that was never closed."""
        if self._unread is not None:
            self._unread.end()

    def _round_trips(self) -> TimedRoundTrips | None:
        if self._proxy is None or self._begun is None:
            return None
        (begun_at, before), (ended_at, after) = self._begun, self._proxy.so_far()
        since = {name: value - getattr(before, name) for name, value in after}
        return TimedRoundTrips(window_seconds=ended_at - begun_at, **since) if since["count"] else None


def short_loads(
    contender: UpContender, load: OneRunLoad, response_seconds: float
) -> tuple[list[ShortLoad], list[ShortLoad]]:
    """The requests of the load by one client, several times, and the load itself as often; those loads in which
    anything was answered.

    Args:
        response_seconds: the mean response time of the load itself.

    Raises:
        StackEnded: the stack did, meanwhile.
        Problem: the database, a proxy, the balancer or the engine failed.
    """
    seconds = max(SECONDS, min(WINDOW_RESPONSES * response_seconds, MOST_SECONDS))
    warmup_seconds = max(WARMUP_SECONDS, min(WARMUP_RESPONSES * response_seconds, MOST_SECONDS))
    if load.window_seconds is not None:
        load = load.lasting(seconds)

    def shortened(plan: EnginePlan) -> EnginePlan:
        return _short(plan, seconds, warmup_seconds)

    alone = [_load_once(contender, load, FIRST_DRAW + number, _by_one_client) for number in range(LOADS)]
    loaded = [_load_once(contender, load, FIRST_DRAW + LOADS + number, shortened) for number in range(LOADS)]
    return list(filter(None, alone)), list(filter(None, loaded))


def _load_once(
    contender: UpContender, load: OneRunLoad, draw: int, adapted: Callable[[EnginePlan], EnginePlan]
) -> ShortLoad | None:
    context, deployment = contender.context, contender.deployment
    watches = _PartWatches(contender, adapted(engine_plan(context, deployment, load)))
    counts: dict[str, object] = {}

    def on_window(state: str) -> None:
        if state == "opened":
            watches.open()
        elif state == "closed":
            counts.update(watches.close())

    try:
        summary = run_once(context, deployment, load, on_window, draw=draw, adapted=adapted)
    finally:
        watches.end()
    response, service = summary.response_time.mean_seconds, summary.service_time.mean_seconds
    if response is None or not counts or not summary.answers:
        return None
    times = {
        "window_seconds": summary.window_seconds,
        "answers": summary.answers,
        "response_seconds": response,
        "requests_under_way": None if summary.under_way is None else summary.under_way.mean_requests or None,
        "unsent_seconds": None if service is None or summary.cohort is None else response - service,
    }
    return ShortLoad.model_validate({**times, **counts})


def _short(plan: EnginePlan, seconds: float, warmup_seconds: float) -> EnginePlan:
    stop = StopAfterSeconds(seconds=seconds)
    return plan.model_copy(update={"stop": stop, "warmup_seconds": warmup_seconds, "warmup_limit_seconds": None})


def _by_one_client(plan: EnginePlan) -> EnginePlan:
    one_stream = {
        key: None if protocol is None else protocol.model_copy(update={"streams": 1})
        for key, protocol in {"http2": plan.http2, "http3": plan.http3}.items()
    }
    changes = {
        "load": Closed(connections=1),
        "drain_seconds": None,
        "deadline_seconds": None,
        "pipeline": 1,
        **one_stream,
        "threads": 1,
        "cpus": plan.cpus[:1],
    }
    return _short(plan, SECONDS, WARMUP_SECONDS).model_copy(update=changes)
