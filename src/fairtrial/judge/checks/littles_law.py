"""Little's law: requests in the system = rate times mean time in it. Where it fails, one of the three is wrong."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding, LoadCase, LoadCheck, Threshold
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary


def examine(case: LoadCase) -> Iterator[Finding]:
    """A refusal outside what the load model allows, with room for the edges of the window."""
    for trial in case.trials:
        summary, load = trial.engine, case.loads.get(trial.condition)
        mean = None if summary is None else summary.response_time.mean_seconds
        if summary is None or mean is None or summary.window_seconds <= 0:
            continue
        in_system = summary.response_time.count / summary.window_seconds * mean
        windows = 1 if trial.slices is None else trial.slices.kept_rounds
        exact = None if summary.warmup_seconds == 0 or summary.under_way is None else summary.under_way.mean_requests
        if exact is not None:
            yield from _examine_exact(case, trial.index, exact, _bounds(summary, load, 0, case.thresholds["tolerance"]))
            continue
        bounds = _bounds(summary, load, windows, case.thresholds["tolerance"])
        if bounds is not None and not bounds[0] <= in_system <= bounds[1]:
            rate = summary.response_time.count / summary.window_seconds
            yield case.finding(
                trial.index,
                "refusal",
                f"{rate:,.0f} answers a second of {1000 * mean:.3g} ms each are {in_system:.2f} requests at a time, "
                f"and the load allows {bounds[0]:.2f} to {bounds[1]:.2f}: times or counts are wrong",
            )


def _examine_exact(
    case: LoadCase, index: int, mean_requests: float, bounds: tuple[float, float] | None
) -> Iterator[Finding]:
    """The same where the engine has added up ages at both edges of the window: there Little's law is an identity.

    Only behind a warm-up: without one, connections begin one after the other within the window.
    """
    if bounds is not None and not bounds[0] <= mean_requests <= bounds[1]:
        yield case.finding(
            index,
            "refusal",
            f"{mean_requests:.2f} requests were under way on average, by their times, and the load allows "
            f"{bounds[0]:.2f} to {bounds[1]:.2f}: times or counts are wrong",
        )


def _bounds(summary: EngineSummary, load: Load | None, windows: int, tolerance: float) -> tuple[float, float] | None:
    """The least and the most mean number of requests in the system; None where the load cannot tell.

    Closed load, n connections (over HTTP/2, n streams over all connections), no think time: in a window of length W,
    the times of one connection's answers follow each other without gaps. So they sum up to W, plus the age of its first
    request when the window opens, minus the age of its last when it closes. No age exceeds the longest time, answered
    or not: n ± n · longest / W. Failed requests take time that no answer accounts for, and so do think times of
    requests and the setup of connections: with these there is only the upper bound. Spot checks are in none of the
    times, and a client awaits one in place of a request. Open load: at most all connections or streams, and the longest
    queue. Of a window that was put together from several, each has edges of its own; 0 `windows` where the edges are
    accounted for.
    """
    longest = max(summary.response_time.max_seconds or 0.0, summary.oldest_in_flight_seconds or 0.0)
    edges = windows * longest / summary.window_seconds
    if summary.achieved_over_offered is not None:
        if load is None or summary.waiting is None:
            return None
        most = load.most_in_flight + summary.waiting.peak
        return 0.0, most * (1 + edges + tolerance)
    clients = None if load is None or load.fixed_requests is not None else load.clients
    if clients is None:
        return None
    failed = sum(summary.errors.values()) > summary.answers - summary.verified or bool(summary.failures)
    spot_checks = sum(each.seconds for each in summary.spot_checks) / summary.window_seconds
    least = 0.0 if failed or summary.has_pauses else clients * (1 - edges - tolerance) - spot_checks
    return max(least, 0.0), clients * (1 + edges + tolerance)


CHECK = LoadCheck(
    name="littles-law",
    looks_at="answers in the window times their mean response time, divided by the window, compared with the "
    "connections of the load, over HTTP/2 with their streams (J. D. C. Little, Operations Research 9 (1961), 383-387); "
    "behind a warm-up, ages at both edges of the window make it an identity",
    thresholds={
        "tolerance": Threshold(
            0.02,
            "share of the connections",
            "beyond what the window's edges explain: the histogram keeps three digits (0.1%), and threads open and "
            "close their windows up to some milliseconds apart, of a window of half a second or more",
        ),
    },
    remedy="do not use these figures; keep record.jsonl, find which of rate, times and connections is wrong (a proxy "
    "that answers for the stack, a clock that jumps), and report it if it is the load engine",
    examine=examine,
)
