"""A contender at the harness's own ceiling: how fast it is cannot be told."""

from collections.abc import Iterator

from fairtrial.experiment.loads import RequestLoad
from fairtrial.judge.checks.foreign_load import foreign_shares
from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.calibration import Calibration
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import ExperimentRecord


def examine(case: Case) -> Iterator[Finding]:
    """A refusal near the ceiling; a warning where the calibration was disturbed or is clearly too low."""
    loads = {condition.id: condition.load for condition in case.record.conditions}
    for trial in case.trials:
        summary, load = trial.engine, loads[trial.condition]
        if summary is None or not isinstance(load, RequestLoad):
            continue
        calibration = calibration_of(case.record, load, summary)
        if calibration is None or summary.achieved_over_offered is not None:
            continue
        rate, ceiling = summary.goodput_per_second, calibration.ceiling_per_second
        if rate < case.thresholds["share"] * ceiling:
            continue
        uncertain = (
            disturbed(case.record, calibration, case.thresholds["disturbed"])
            or rate > ceiling / case.thresholds["share"]
        )
        yield case.finding(
            trial.index,
            "warning" if uncertain else "refusal",
            f"{rate:,.0f} answers a second, and the load engine reached {ceiling:,.0f} from a server that does nothing"
            + (
                "; but that calibration was disturbed, so the ceiling may lie higher"
                if uncertain
                else f" on this placement, its busiest processor at work for {calibration.busiest_thread_share:.0%}: "
                "a faster contender would look the same"
            ),
            "run again on a calm machine" if uncertain else "",
        )


def calibration_of(record: ExperimentRecord, load: RequestLoad, summary: EngineSummary) -> Calibration | None:
    """The calibration with connections, threads, rate and waiting as in this trial; None if there is none.

    In older records, which do not say how the engine waited, it slept.
    """
    asked = load.connections, load.keep_alive, load.threads, load.offered_per_second, summary.wait or "sleep"
    alike = (
        each
        for each in record.calibrations
        if (each.connections, each.keep_alive, each.threads, each.rate_per_second, each.wait or "sleep") == asked
    )
    return next(alike, None)


def disturbed(record: ExperimentRecord, calibration: Calibration, limit: float) -> bool:
    """Whether others or the hypervisor took much of the processors meanwhile; True if nothing was metered."""
    if calibration.machine is None or calibration.machine.window_seconds <= 0:
        return True
    placement = record.placement
    stolen = [
        calibration.machine.steal_seconds(cpus) / len(cpus) / calibration.machine.window_seconds
        for cpus in (placement.server_cpus, placement.load_cpus_here)
        if cpus
    ]
    return max([*stolen, *foreign_shares(calibration.machine, placement).values()], default=0.0) >= limit


CHECK = Check(
    name="harness-limited",
    looks_at="goodput of a closed load, compared with the ceiling that was calibrated before the first trial with the "
    "same number of connections",
    thresholds={
        "share": Threshold(
            0.9,
            "share of the ceiling",
            "at 90% of what a server that does nothing reaches, nine tenths of a request's time are the kernel's and "
            "the harness's: ratios of such figures say nothing about the contenders",
        ),
        "disturbed": Threshold(
            0.1,
            "share of the processors' time",
            "the share at which `foreign-load` warns: whatever others take lowers the ceiling, and contenders would be "
            "refused wrongly",
        ),
    },
    remedy="give the load engine more processors, choose a workload that demands more of the stack, or claim only "
    "that this contender is at least this fast",
    examine=examine,
)
