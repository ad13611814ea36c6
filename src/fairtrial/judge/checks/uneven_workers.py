from collections.abc import Iterator
from statistics import median

from fairtrial.base.formatting import figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.load.kinds import Load
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import ServerMeter, Workers


@check(
    "uneven-workers",
    looks_at="processor time of the stack's processes that are alike (one parent, one command line but for its digits)",
    remedy="deal connections out in turn (one acceptor, a balancer before the workers) rather than by chance "
    "(SO_REUSEPORT) or to whoever wakes first (accept): how few connections fall on workers differs from start to "
    "start, and so does the figure; more connections even it out",
    needs_processes=True,
    busy=Threshold(
        0.85,
        "processors",
        "as in `contender-idle`: a process that never waits uses 1, and one at 0.85 could do an eighth more",
    ),
    times=Threshold(
        2.0,
        "times the least busy one",
        "with an even spread the busiest would have had at most three quarters of its work (two workers, 2:1)",
    ),
)
def uneven_workers(
    server: ServerMeter, load: Load | None, trial: TrialRecord, case: Case, *, busy: float, times: float
) -> Iterator[Finding]:
    """A worker at its limit beside others with room: why some starts of the same stack are slower than others.

    A warning.
    """
    workers, window = server.workers, server.window_seconds
    if workers is None or window <= 0 or _has_one_for_each(workers, load):
        return
    busiest, least = workers.most_cpu_seconds / window, workers.least_cpu_seconds / window
    if busiest >= busy and busiest >= times * least:
        yield finding(
            "warning",
            f"{workers.at_work} of {workers.processes} processes `{workers.program}` were at work, the busiest for "
            f"{busiest:.0%} of a processor and the least busy for {least:.0%}{_beside(trial, case)}",
        )


def _has_one_for_each(workers: Workers, load: Load | None) -> bool:
    """Whether every connection may have a worker to itself: those that rest are spare ones."""
    return load is not None and workers.at_work >= load.connections


def _beside(trial: TrialRecord, case: Case) -> str:
    """This trial's goodput beside the median of its condition, in words; empty where there are no other trials."""
    engines = [each.engine for each in case.trials_of(trial.condition) if each.engine is not None]
    if trial.engine is None or len(engines) < 2:
        return ""
    return (
        f"; this trial served {figure(trial.engine.goodput_per_second)}/s, where the median of its condition is "
        f"{figure(median(each.goodput_per_second for each in engines))}/s"
    )
