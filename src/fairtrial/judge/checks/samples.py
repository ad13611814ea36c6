"""Samples, meters and searches that cannot carry a figure."""

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from fairtrial.experiment.claims import MetricClaim
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.connections import TICK_SECONDS
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import METRICS, Metric, find_metric, percentile_in
from fairtrial.judge.metrics.metric import times_behind
from fairtrial.judge.statistics.estimate import over_blocks
from fairtrial.judge.statistics.support import samples_needed, supports_percentile
from fairtrial.load.kinds import Load
from fairtrial.record.capacity import CapacitySearch, Probe
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import ServerMeter
from fairtrial.record.slices import Slicing


@check(
    "too-few-answers",
    looks_at="the number of verified answers in the window",
    remedy="look at the errors first; if the workload is slow by nature, lengthen duration_seconds",
    verified=Threshold(1, "answers", "without an answer there is nothing to measure: a rate of zero is never printed"),
)
def too_few_answers(engine: EngineSummary, *, verified: float) -> Iterator[Finding]:
    """A trial without verified answers has no result: zero is never one.

    A refusal.
    """
    if engine.verified < verified:
        waiting = f"; {engine.in_flight_at_end:,} still waited at the end" if engine.in_flight_at_end else ""
        evidence = f"{engine.verified:,} verified answers in {engine.window_seconds:.1f} s{waiting}"
        yield finding("refusal", evidence)


IN_EVERY_TABLE = frozenset({("", "response_time", "99")})
"""Request (empty: all), kind and percentile of what every table has a column for."""


@check(
    "percentile-unsupported",
    looks_at="the number of answers in the window, compared with what the percentiles that are shown or claimed need",
    remedy="lengthen duration_seconds",
)
def percentile_unsupported(trial: TrialRecord, case: Case) -> Iterator[Finding]:
    """A percentile that is not shown because the sample is too small, and how many answers it needs.

    Where answers are too few: a warning for a percentile that a claim needs, a note for one that is only shown.
    """
    if trial.engine is None or trial.engine.verified == 0:
        return
    claimed = {
        (claim.request or "", *pair)
        for claim in case.record.experiment.claims
        if isinstance(claim, MetricClaim) and (pair := percentile_in(claim.metric)) is not None
    }
    for request, kind, percentile in sorted(claimed | IN_EVERY_TABLE):
        times = times_behind(find_metric(f"{kind}_p{percentile}", request or None), trial, kind)
        if times is not None and not supports_percentile(times.count, float(percentile)):
            samples = samples_needed(float(percentile))
            whose = f" of `{request}`" if request else ""
            yield finding(
                "warning" if (request, kind, percentile) in claimed else "note",
                f"p{percentile} of {kind.replace('_', ' ')}{whose} is not shown: it needs {samples:,} answers in "
                f"each trial, and this one has {times.count:,}",
                f"lengthen duration_seconds {samples / max(times.count, 1):.1f} times",
            )


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
        "threads open and close their windows some milliseconds apart, and the engine may lose its processor for a "
        "tick of 10 ms",
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
    accounted for: then a client waits between two requests only while the engine is kept from its processor.
    """
    longest = max(summary.response_time.max_seconds or 0.0, summary.oldest_in_flight_seconds or 0.0)
    edges = (windows * longest if windows else TICK_SECONDS) / summary.window_seconds
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


SERVER, SERVICE = METRICS["server_cpu_per_1000_requests"], METRICS["service_cpu_per_1000_requests"]
FEWEST = 3
"""Blocks of which there is an interval."""


@check(
    "meters-late",
    looks_at="how long each of the lab's meters was open, compared with the engine's window",
    remedy="the lab was kept from its processor when the window opened or closed: leave it one that neither server nor "
    "load saturates, stop other programs, or lengthen duration_seconds; then run again",
    of_machine=True,
    share=Threshold(
        0.05,
        "share of the typical window",
        "a part of the window that the meter misses is as large a part of the figure at most. Where the interval of "
        "the figure itself reaches further to either side, that is the limit",
    ),
    machine=Threshold(
        0.2,
        "share of the typical window",
        "of a machine no figure is shown; what foreign-load and stolen read of it is diluted by as much",
    ),
)
def meters_late(case: Case, *, share: float, machine: float) -> Iterator[Finding]:
    """Meters that the lab read too late, or too early, for the window that they are said to describe. Only what such a
    meter measured is lost.

    A refusal of what a meter says that covers another time than the window; a warning where that is of a machine.
    """
    for condition in case.record.conditions:
        trials = case.trials_of(condition.id)
        windows = [trial.engine.window_seconds for trial in trials if trial.engine and trial.engine.window_seconds > 0]
        if windows:
            yield from _late_of(trials, median(windows), share, machine)


def _late_of(trials: Sequence[TrialRecord], typical_seconds: float, share: float, machine: float) -> Iterator[Finding]:
    """Lateness is held against the condition's typical window, so that it is no matter of how fast a trial was: a
    window of a number of requests is as long as the contender makes it."""
    worth = {
        SERVER.key: _precision(SERVER, trials, lambda trial: trial.server, share, typical_seconds),
        SERVICE.key: _precision(SERVICE, trials, lambda trial: trial.service, share, typical_seconds),
    }
    for trial in trials:
        for whose, metric, meter in (
            ("the stack", SERVER, trial.server),
            ("its service", SERVICE, trial.service),
            ("its balancer", None, trial.balancer),
            ("the machine", None, trial.machine),
            ("the service host", None, trial.service_machine),
            ("the balancer host", None, trial.balancer_machine),
        ):
            late_seconds = _late_seconds(trial, meter)
            limit = machine if metric is None else worth[metric.key]
            if meter is None or trial.engine is None or late_seconds <= limit * typical_seconds:
                continue
            yield finding(
                "warning" if metric is None else "refusal",
                f"processor time of {whose} was measured over {meter.window_seconds:.2f} s, while the window lasted "
                f"{trial.engine.window_seconds:.2f} s",
                metrics=[] if metric is None else [metric.name],
                trial=trial.index,
            )


def _precision(
    metric: Metric,
    trials: Sequence[TrialRecord],
    meter_of: Callable[[TrialRecord], ServerMeter | None],
    share: float,
    typical_seconds: float,
) -> float:
    """The share of the figure that its own interval leaves open, or the threshold, where that is more.

    The interval is that of the trials whose meters were on time, as late ones are no witness of how well the figure is
    known; where they are too few, that of all.
    """
    readings = {trial.index: value for trial in trials if (value := metric.read(trial))}
    on_time = [
        readings[trial.index]
        for trial in trials
        if trial.index in readings and _late_seconds(trial, meter_of(trial)) <= share * typical_seconds
    ]
    values = on_time if len(on_time) >= FEWEST else list(readings.values())
    interval = over_blocks(values).interval if values else None
    return share if interval is None else max(share, (interval[1] - interval[0]) / 2 / median(values))


def _late_seconds(trial: TrialRecord, meter: ServerMeter | MachineMeter | None) -> float:
    """By how much a meter's time differs from the window; 0 where there is none of either."""
    if meter is None or trial.engine is None or trial.engine.window_seconds <= 0:
        return 0.0
    return abs(meter.window_seconds - trial.engine.window_seconds)


@check(
    "capacity-search",
    looks_at="the probes of a capacity search: whether a rate was confirmed, and what set the limit",
    remedy="lower lowest_per_second, relax the objective, or look at the errors of the lowest probe",
    of_loads=True,
    busy=Threshold(
        0.95,
        "share of one processor",
        "as for generator-saturated: an engine thread this busy could not have offered 5% more",
    ),
    late=Threshold(
        0.1,
        "share of the percentile that missed the objective",
        "as generator-late warns: a tenth of a percentile is what the generator may add to it unremarked",
    ),
)
def capacity_search(capacity: CapacitySearch, *, busy: float, late: float) -> Iterator[Finding]:
    """A capacity must be a rate that was sustained, limited by the contender and not by the search or the generator.

    A refusal where no rate held or the generator may have set the limit; a warning where the highest rate held.

    Where the generator was only late, no more is lost than that capacity.
    """
    for each in capacity.found:
        objective, rate = each.objective, each.rate_per_second
        if rate is None:
            yield finding("refusal", _not_found(capacity, objective))
            continue
        if each.at_the_top:
            yield finding(
                "warning",
                f"{objective} still held at {rate:,.0f}/s, the highest rate of the search",
                "raise highest_per_second: the capacity lies above it",
            )
        failed = _lowest_failure(capacity, objective)
        if failed is not None and failed.busiest_thread_share >= busy:
            yield finding(
                "refusal",
                f"{objective} failed at {failed.rate_per_second:,.0f}/s while the load engine's busiest "
                f"thread was busy for {failed.busiest_thread_share:.0%} of the time: the generator may have "
                "set the limit",
                "give the load engine more processors, or the contender fewer",
            )
        elif failed is not None and _late_share(failed, objective) >= late:
            yield finding(
                "refusal",
                f"{objective} failed at {failed.rate_per_second:,.0f}/s because the load engine sent "
                f"requests late, although a connection was free: {_late_share(failed, objective):.0%} of "
                "the percentile passed before, and what passed after met the objective",
                "give the load engine processors of its own; see generator-late, foreign-load and stolen",
                metrics=[f"capacity:{objective}", *(["capacity"] if each is capacity.found[0] else [])],
            )


def _late_share(probe: Probe, objective: str) -> float:
    return next((each.late_share for each in probe.objectives if each.objective == objective), None) or 0.0


def _not_found(search: CapacitySearch, objective: str) -> str:
    lowest = min(search.probes, key=lambda probe: probe.rate_per_second)
    why = next((each.why_not for each in lowest.objectives if each.objective == objective), None)
    return f"{objective} did not hold over a full run at any rate from {lowest.rate_per_second:,.0f}/s on" + (
        f": {why}" if why else ""
    )


def _lowest_failure(search: CapacitySearch, objective: str) -> Probe | None:
    failed = [
        probe
        for probe in search.probes
        if any(each.objective == objective and not each.met for each in probe.objectives)
    ]
    return min(failed, key=lambda probe: probe.rate_per_second, default=None)
