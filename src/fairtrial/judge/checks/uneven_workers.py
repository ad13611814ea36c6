"""A worker at its limit beside others with room: why some starts of the same stack are slower than others."""

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from fairtrial.base.formatting import figure
from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.load.kinds import Load
from fairtrial.record.model import TrialRecord
from fairtrial.record.workers import Workers


def examine(case: Case) -> Iterator[Finding]:
    """A warning where the busiest of like processes was at its limit, and the least busy one far from it."""
    served: dict[str, list[float]] = defaultdict(list)
    for trial in case.trials:
        if trial.engine is not None:
            served[trial.condition].append(trial.engine.goodput_per_second)
    for trial in case.trials:
        workers = None if trial.server is None else trial.server.workers
        if trial.server is None or workers is None or trial.server.window_seconds <= 0:
            continue
        busiest, least = (
            seconds / trial.server.window_seconds for seconds in (workers.most_cpu_seconds, workers.least_cpu_seconds)
        )
        if busiest < case.thresholds["busy"] or busiest < case.thresholds["times"] * least:
            continue
        if _has_one_for_each(workers, case.loads.get(trial.condition)):
            continue
        at_work = f"{workers.at_work} of {workers.processes}"
        yield case.finding(
            trial.index,
            "warning",
            f"{at_work} processes `{workers.program}` were at work, the busiest for {busiest:.0%} of a processor and "
            f"the least busy for {least:.0%}{_beside(trial, served[trial.condition])}",
        )


def _has_one_for_each(workers: Workers, load: Load | None) -> bool:
    """Whether every connection may have a worker to itself: those that rest are spare ones."""
    return load is not None and workers.at_work >= load.connections


def _beside(trial: TrialRecord, served: list[float]) -> str:
    """What this trial served beside all of its condition, where there are others."""
    if trial.engine is None or len(served) < 2:
        return ""
    return (
        f"; this trial served {figure(trial.engine.goodput_per_second)}/s, where the median of its condition is "
        f"{figure(median(served))}/s"
    )


CHECK = Check(
    name="uneven-workers",
    looks_at="processor time of the stack's processes that are alike (one parent, one command line but for its digits)",
    thresholds={
        "busy": Threshold(
            0.85,
            "processors",
            "as in `contender-idle`: a process that never waits uses 1, and one at 0.85 could do an eighth more",
        ),
        "times": Threshold(
            2.0,
            "times the least busy one",
            "with an even spread the busiest would have had at most three quarters of its work (two workers, 2:1)",
        ),
    },
    remedy="deal connections out in turn (one acceptor, a balancer before the workers) rather than by chance "
    "(SO_REUSEPORT) or to whoever wakes first (accept): how few connections fall on workers differs from start to "
    "start, and so does the figure; more connections even it out",
    examine=examine,
    needs_processes=True,
)
