"""Meters that the lab read too late, or too early, for the window that they are said to describe. Only what such a
meter measured is lost."""

from collections.abc import Iterator
from statistics import median

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.judge.metrics import METRICS

SERVER, SERVICE = "server_cpu_per_1000_requests", "service_cpu_per_1000_requests"
FEWEST = 3
"""Values of which a spread is told."""
NORMAL_SPREAD = 1.4826
"""Standard deviations of normal values for each median absolute deviation."""


def examine(case: Case) -> Iterator[Finding]:
    """A refusal of what a meter says that covers another time than the window; a warning where that is of a machine."""
    typical = {condition.id: _spreads(case, condition.id) for condition in case.record.conditions}
    for trial in case.trials:
        summary = trial.engine
        if summary is None or summary.window_seconds <= 0:
            continue
        window = summary.window_seconds
        for whose, metric, meter in (
            ("the stack", SERVER, trial.server),
            ("its service", SERVICE, trial.service),
            ("its balancer", "", trial.balancer),
            ("the machine", "", trial.machine),
            ("the service host", "", trial.service_machine),
            ("the balancer host", "", trial.balancer_machine),
        ):
            if meter is None:
                continue
            # The figure is the meter's time a second of its own window: what it misses is as large a part of it.
            missed = abs(meter.window_seconds - window) / max(meter.window_seconds, window)
            worth = max(case.thresholds["share"], typical[trial.condition].get(metric, 0.0))
            if missed <= (worth if metric else case.thresholds["machine"]):
                continue
            yield case.finding(
                trial.index,
                "refusal" if metric else "warning",
                f"processor time of {whose} was measured over {meter.window_seconds:.2f} s, while the window lasted "
                f"{window:.2f} s",
                metrics=[metric] if metric else [],
            )


def _spreads(case: Case, condition: str) -> dict[str, float]:
    """By metric, how far a typical trial's figure lies from the median of the condition's, as a share of it."""
    trials = [trial for trial in case.trials if trial.condition == condition]
    spreads = {}
    for name in (SERVER, SERVICE):
        values = [value for trial in trials if (value := METRICS[name].read(trial))]
        if len(values) >= FEWEST:
            middle = median(values)
            spreads[name] = NORMAL_SPREAD * median(abs(value - middle) for value in values) / middle
    return spreads


CHECK = Check(
    name="meters-late",
    looks_at="how long each of the lab's meters was open, compared with the engine's window",
    thresholds={
        "share": Threshold(
            0.05,
            "share of the window",
            "claims are about differences from 5% on: a figure that misses as much decides none. Where trials of the "
            "condition differ by more among themselves, that is the limit (standard deviations from the median "
            "absolute deviation)",
        ),
        "machine": Threshold(
            0.2,
            "share of the window",
            "of a machine no figure is shown; what foreign-load and stolen read of it is diluted by as much",
        ),
    },
    remedy="the lab was kept from its processor when the window opened or closed: leave it one that neither server nor "
    "load saturates, stop other programs, or lengthen duration_seconds; then run again",
    examine=examine,
    of_machine=True,
)
