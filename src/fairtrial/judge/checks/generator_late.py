"""An open load whose requests were sent late is not the load that is named beside its figures."""

from collections.abc import Iterator, Sequence

from fairtrial.experiment.loads import METRIC_PERCENTILES
from fairtrial.judge.checks.model import Finding, LoadCase, LoadCheck, Threshold
from fairtrial.judge.statistics.support import supports_percentile
from fairtrial.record.calibration import Calibration
from fairtrial.record.engine_summary import Distribution, EngineSummary

MAX = "max"


def examine(case: LoadCase) -> Iterator[Finding]:
    """Lateness is due to the contender where requests waited for a connection, and to the generator where none did.

    It takes the percentiles that it has moved. Goodput, capacity and lower percentiles stand, unless requests were not
    sent at all.
    """
    for trial in case.trials:
        summary = trial.engine
        if summary is None or summary.achieved_over_offered is None:
            continue
        waited = summary.waiting.peak if summary.waiting is not None else 0
        shares = _generators_shares(summary)
        share = shares.get("99", 0.0)
        unsent = 1 - summary.sent / summary.offered if summary.offered else 0.0
        if waited > 0:
            yield from _overloaded(case, trial.index, summary, waited, share, unsent)
            continue
        beyond = [name for name, part in shares.items() if part >= case.thresholds["refuse"]]
        late = summary.send_lag.percentiles.get("99") or 0.0
        lateness = f"1 in 100 requests was sent {1000 * late:.3g} ms or more after its time"
        free = f", although a connection was free{_alone(case.calibrations)}"
        if unsent > case.thresholds["unsent"]:
            evidence = f"{lateness}{free}; {unsent:.1%} of the offered requests were not sent"
            yield case.finding(trial.index, "refusal", evidence)
        elif beyond or share >= case.thresholds["warn"]:
            worst = beyond[0] if beyond else "99"
            which = "max" if worst == MAX else f"p{worst}"
            evidence = f"{lateness}: {shares[worst]:.0%} of the {which} of response time passed before that{free}"
            metrics = [f"response_time_{'max' if name == MAX else f'p{name}'}" for name in beyond]
            yield case.finding(trial.index, "refusal" if beyond else "warning", evidence, metrics=metrics)


def _generators_shares(summary: EngineSummary) -> dict[str, float]:
    """By percentile of response time, ascending, and the maximum, the part of it that passed before the request was
    sent: what it lies above the same percentile of service time, which counts from there."""
    shares = {}
    for name in (*METRIC_PERCENTILES, MAX):
        response, service = _at(summary.response_time, name), _at(summary.service_time, name)
        if response and service is not None:
            shares[name] = max(0.0, 1 - service / response)
    return shares


def _at(times: Distribution, name: str) -> float | None:
    if name == MAX:
        return times.max_seconds
    return times.percentiles.get(name) if supports_percentile(times.count, float(name)) else None


def _overloaded(
    case: LoadCase, index: int, summary: EngineSummary, waited: int, share: float, unsent: float
) -> Iterator[Finding]:
    assert summary.achieved_over_offered is not None
    if unsent > case.thresholds["unsent"] or share >= case.thresholds["warn"]:
        yield case.finding(
            index,
            "warning",
            f"up to {waited:,} requests at a time waited for a free connection, {share:.0%} of the p99 passed before "
            f"they were sent, and {summary.achieved_over_offered:.1%} of what was offered was answered: the contender "
            "did not keep up",
            "lower the rate, or allow more connections; the response times are those of a queue that grows with the "
            "window",
        )


def _alone(calibrations: Sequence[Calibration]) -> str:
    """The engine's own pacing, as it was calibrated, where it was."""
    pacing = [calibration.pacing_lag for calibration in calibrations if calibration.pacing_lag is not None]
    lags = [lag for times in pacing if (lag := times.percentiles.get("99")) is not None]
    return f" (calibrated against a server that does nothing: {1000 * max(lags):.3g} ms)" if lags else ""


CHECK = LoadCheck(
    name="generator-late",
    looks_at="an open load's response time (from the intended start) beside its service time (from the sent request), "
    "requests that were offered and not sent, and whether they waited for a connection",
    thresholds={
        "warn": Threshold(
            0.1,
            "share of the p99 of response time",
            "response times count from the intended start, so the generator's lateness is part of them: a tenth of the "
            "printed tail is its own",
        ),
        "refuse": Threshold(
            0.5,
            "share of a percentile of response time",
            "the larger part of what is printed would be the generator's: such a percentile is taken away, with those "
            "above it",
        ),
        "unsent": Threshold(
            0.01,
            "share of the offered requests",
            "beyond those whose time comes just as the window closes: the load was not the one that is printed",
        ),
    },
    remedy="give the load engine processors of its own, or a lower rate; see foreign-load and stolen",
    examine=examine,
)
