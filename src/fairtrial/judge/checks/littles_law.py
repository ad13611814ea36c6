from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.slices import Slicing


@check(
    "littles-law",
    looks_at="answers in the window times their mean response time, divided by the window, compared with the "
    "connections of the load, over HTTP/2 with their streams (J. D. C. Little, Operations Research 9 (1961), 383-387); "
    "behind a warm-up, ages at both edges of the window make it an identity",
    remedy="do not use these figures; keep record.jsonl, find which of rate, times and connections is wrong (a proxy "
    "that answers for the stack, a clock that jumps), and report it if it is the load engine",
    of_loads=True,
    tolerance=Threshold(
        0.02,
        "share of the connections",
        "beyond what the window's edges explain: threads open and close their windows up to some milliseconds apart",
    ),
)
def littles_law(
    engine: EngineSummary, load: Load | None, slices: Slicing | None, *, tolerance: float
) -> Iterator[Finding]:
    """Little's law: requests in the system = rate times mean time in it. Where it fails, one of the three is wrong.

    A refusal outside what the load model allows, with room for the edges of the window.
    """
    times, window = engine.response_time, engine.window_seconds
    if times.mean_seconds is None or window <= 0:
        return
    # Where the engine has added up ages at both edges of the window, Little's law is an identity. Only behind a
    # warm-up: without one, connections begin one after the other within the window.
    exact = None if engine.warmup_seconds == 0 or engine.under_way is None else engine.under_way.mean_requests
    windows = 0 if exact is not None else 1 if slices is None else slices.kept_rounds
    bounds = _bounds(engine, load, windows, tolerance)
    rate = times.count / window
    in_system = rate * times.mean_seconds if exact is None else exact
    if bounds is None or bounds[0] <= in_system <= bounds[1]:
        return
    if exact is None:
        each = f"{rate:,.0f} answers a second of {1000 * times.mean_seconds:.3g} ms each"
        requests = f"{each} are {in_system:.2f} requests at a time"
    else:
        requests = f"{exact:.2f} requests were under way on average, by their times"
    allowed = f"the load allows {bounds[0]:.2f} to {bounds[1]:.2f}"
    yield finding("refusal", f"{requests}, and {allowed}: times or counts are wrong")


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
