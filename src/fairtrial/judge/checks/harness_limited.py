from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.foreign_load import foreign_shares
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.load.kinds import Load
from fairtrial.record.calibration import Calibration
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ExperimentRecord
from fairtrial.record.placement import Placement


@check(
    "harness-limited",
    looks_at="goodput of a closed load, compared with the ceiling that was measured before its block with the same "
    "number of connections",
    remedy="give the load engine more processors, choose a workload that demands more of the stack, or claim only "
    "that this contender is at least this fast",
    share=Threshold(
        0.9,
        "share of the ceiling",
        "at 90% of what a server that does nothing reaches, nine tenths of a request's time are the kernel's and the "
        "harness's",
    ),
    disturbed=Threshold(
        0.1,
        "share of the processors' time",
        "the share at which `foreign-load` warns: whatever others take lowers the ceiling, and contenders would be "
        "refused wrongly",
    ),
)
def harness_limited(case: Case, *, share: float, disturbed: float) -> Iterator[Finding]:
    """A contender at the harness's own ceiling: how fast it is cannot be told.

    A refusal near the ceiling; a warning where it was measured under a disturbance or is clearly too low.
    """
    of_load: dict[tuple[str, int | None], list[float]] = defaultdict(list)
    for trial in case.trials:
        if trial.ceiling is not None:
            of_load[trial.condition, trial.lane].append(trial.ceiling.per_second)
    for trial in case.trials:
        summary, load = trial.engine, case.loads[trial.condition]
        if summary is None:
            continue
        calibration = calibration_of(case.record, load, summary)
        if calibration is None or summary.achieved_over_offered is not None:
            continue
        rate, ceiling, machine = summary.goodput_per_second, calibration.ceiling_per_second, calibration.machine
        if trial.ceiling is not None:
            ceiling, machine = trial.ceiling.per_second, trial.ceiling.machine
        if rate < share * ceiling:
            continue
        typical = median(of_load[trial.condition, trial.lane] or [ceiling])
        uncertain = (
            was_disturbed(case.record.placement_of(trial), machine, disturbed)
            or rate > ceiling / share
            or rate < share * typical
        )
        yield finding(
            "warning" if uncertain else "refusal",
            f"{rate:,.0f} answers a second, and {'' if trial.ceiling is None else 'before this block '}the load engine "
            f"reached {ceiling:,.0f} from a server that does nothing"
            + (
                "; but that calibration was disturbed, so the ceiling may lie higher"
                if uncertain
                else f" on this placement, its busiest processor at work for {calibration.busiest_thread_share:.0%}: "
                "a faster contender would look the same"
            ),
            "run again on a calm machine" if uncertain else "",
            trial=trial.index,
        )


def calibration_of(record: ExperimentRecord, load: Load, summary: EngineSummary) -> Calibration | None:
    """The calibration with connections, threads, rate and waiting as in this trial; None if there is none.

    There is none over HTTP/2, which the load engine's own target does not speak.
    In older records, which do not say how the engine waited, it slept.
    """
    if load.http2:
        return None
    settings = load.connections, load.keep_alive, load.threads, load.offered_per_second, summary.wait or "sleep"
    alike = (
        each
        for each in record.calibrations
        if (each.connections, each.keep_alive, each.threads, each.rate_per_second, each.wait or "sleep") == settings
    )
    return next(alike, None)


def was_disturbed(placement: Placement, machine: MachineMeter | None, limit: float) -> bool:
    """Whether others or the hypervisor took much of the processors in a calibration; True if nothing was metered."""
    if machine is None or machine.window_seconds <= 0:
        return True
    stolen = [
        machine.steal_seconds(cpus) / len(cpus) / machine.window_seconds
        for cpus in (placement.server_cpus, placement.load_cpus_here)
        if cpus
    ]
    return max([*stolen, *foreign_shares(machine, placement, with_kernel=True).values()], default=0.0) >= limit
