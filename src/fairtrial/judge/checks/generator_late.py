from collections.abc import Iterator, Sequence

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, LoadCase, Threshold, finding
from fairtrial.judge.statistics.support import supports_percentile
from fairtrial.load.capacity import METRIC_PERCENTILES
from fairtrial.record.calibration import Calibration
from fairtrial.record.engine_summary import Distribution, EngineSummary, Share

MAX = "max"


@check(
    "generator-late",
    looks_at="an open load's response time (from the intended start) beside its service time (from the sent request), "
    "requests that were offered and not sent, and whether they waited for a connection",
    remedy="give the load engine processors of its own, or a lower rate; see foreign-load and stolen",
    of_loads=True,
    warn=Threshold(
        0.1,
        "share of a percentile of response time",
        "response times count from the intended start, so the generator's lateness is part of them: a tenth of "
        "what is printed is its own",
    ),
    refuse=Threshold(
        0.5,
        "share of a percentile of response time",
        "the larger part of what is printed would be the generator's: such a percentile is taken away",
    ),
    unsent=Threshold(
        0.01,
        "share of the offered requests",
        "beyond those whose time comes just as the window closes: the load was not the one that is printed",
    ),
)
def generator_late(
    engine: EngineSummary, case: LoadCase, *, warn: float, refuse: float, unsent: float
) -> Iterator[Finding]:
    """An open load whose requests were sent late is not the load that is named beside its figures.

    It is due to the contender where requests waited for a connection, and to the generator where none did. It takes the
    percentiles that it has moved. Goodput, capacity and lower percentiles stand, unless requests were not sent at all.
    """
    if engine.achieved_over_offered is None:
        return
    waited = engine.waiting.peak if engine.waiting is not None else 0
    shares = _generators_shares(engine)
    left_unsent = 1 - engine.sent / engine.offered if engine.offered else 0.0
    if waited > 0:
        part = shares.get("99", 0.0)
        if left_unsent > unsent or part >= warn:
            yield finding(
                "warning",
                f"up to {waited:,} requests at a time waited for a free connection, {part:.0%} of the p99 passed "
                f"before they were sent, and {engine.achieved_over_offered:.1%} of what was offered was answered: the "
                "contender did not keep up",
                "lower the rate, or allow more connections; the response times are those of a queue that grows with "
                "the window",
            )
        return
    late = engine.send_lag.percentiles.get("99") or 0.0
    evidence = f"1 in 100 requests was sent {1000 * late:.3g} ms or more after its time"
    free = f", although a connection was free{_alone(case.calibrations)}"
    if left_unsent > unsent:
        evidence += f"{free}; {left_unsent:.1%} of the offered requests were not sent"
        yield finding("refusal", evidence)
        return
    by_request = {share.name: _generators_shares(share) for share in engine.mix if len(engine.mix) > 1}
    names = {_name(name): part for name, part in shares.items()}
    names |= {f"{_name(name)} of {each}": part for each, own in by_request.items() for name, part in own.items()}
    metrics = [name for name, part in names.items() if part >= refuse]
    most = max(names, key=lambda name: names[name], default="")
    if metrics or (most and names[most] >= warn):
        which = metrics[0] if metrics else most
        evidence += f": {names[which]:.0%} of {which.replace('_', ' ')} passed before requests were sent{free}"
        yield finding("refusal" if metrics else "warning", evidence, metrics=metrics)


def _name(percentile: str) -> str:
    return f"response_time_{MAX if percentile == MAX else f'p{percentile}'}"


def _generators_shares(times: EngineSummary | Share) -> dict[str, float]:
    """By percentile of response time, ascending, and the maximum, the part of it that passed before the request was
    sent: what it lies above the same percentile of service time, which counts from there.

    A request's response time is its service time and its lag, so that no percentile of the first lies below that of
    the second, and the difference is what the figure would lose if every request were sent in time and took as long.
    """
    shares = {}
    for name in (*METRIC_PERCENTILES, MAX):
        response, service = _at(times.response_time, name), _at(times.service_time, name)
        if response and service is not None:
            shares[name] = max(0.0, 1 - service / response)
    return shares


def _at(times: Distribution | None, name: str) -> float | None:
    if times is None:
        return None
    if name == MAX:
        return times.max_seconds
    return times.percentiles.get(name) if supports_percentile(times.count, float(name)) else None


def _alone(calibrations: Sequence[Calibration]) -> str:
    """The engine's own pacing, as it was calibrated, where it was."""
    pacing = [calibration.pacing_lag for calibration in calibrations if calibration.pacing_lag is not None]
    lags = [lag for times in pacing if (lag := times.percentiles.get("99")) is not None]
    return f" (calibrated against a server that does nothing: {1000 * max(lags):.3g} ms)" if lags else ""
