from collections.abc import Callable, Iterator, Sequence
from statistics import median

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import METRICS, Metric
from fairtrial.judge.statistics.estimate import over_blocks
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import ServerMeter

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
