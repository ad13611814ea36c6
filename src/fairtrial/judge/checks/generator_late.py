"""An open load whose requests were sent late is not the load that is named beside its figures."""

from collections.abc import Iterator, Sequence

from fairtrial.judge.checks.model import Finding, LoadCase, LoadCheck, Threshold
from fairtrial.record.calibration import Calibration
from fairtrial.record.engine_summary import EngineSummary


def examine(case: LoadCase) -> Iterator[Finding]:
    """Lateness is due to the contender where requests waited for a connection, and to the generator where none did."""
    for trial in case.trials:
        summary = trial.engine
        if summary is None or summary.achieved_over_offered is None:
            continue
        waited = summary.waiting.peak if summary.waiting is not None else 0
        late = summary.send_lag.percentiles.get("99") or 0.0
        took = summary.response_time.percentiles.get("99") or 0.0
        share = late / took if took > 0 else 0.0
        unsent = 1 - summary.sent / summary.offered if summary.offered else 0.0
        if waited > 0:
            yield from _overloaded(case, trial.index, summary, waited, share, unsent)
        elif unsent > case.thresholds["unsent"] or share >= min(case.thresholds["warn"], case.thresholds["refuse"]):
            refused = unsent > case.thresholds["unsent"] or share >= case.thresholds["refuse"]
            yield case.finding(
                trial.index,
                "refusal" if refused else "warning",
                f"1 in 100 requests was sent {1000 * late:.3g} ms or more after its time, of a p99 of "
                f"{1000 * took:.3g} ms ({share:.0%}), although a connection was free{_alone(case.calibrations)}"
                + (
                    f"; {unsent:.1%} of the offered requests were not sent"
                    if unsent > case.thresholds["unsent"]
                    else ""
                ),
            )


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
    looks_at="an open load's send lag (intended start to sent) beside its response time, requests that were offered "
    "and "
    "not sent, and whether they waited for a connection",
    thresholds={
        "warn": Threshold(
            0.1,
            "share of the p99 of response time",
            "response times count from the intended start, so the generator's lateness is part of them: a tenth of the "
            "printed tail is its own",
        ),
        "refuse": Threshold(
            0.5,
            "share of the p99 of response time",
            "the larger part of the printed tail would be the generator's",
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
