from collections.abc import Iterator
from statistics import mean, median

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.model import TrialRecord

QUOTA = "raise or remove the processor quota of the container or service that the lab runs in (cpu.max, cfs_quota_us)"
CLOCK = "set the governor `performance` and turn turbo off, so that every trial has the same clock"


@check(
    "throttled",
    looks_at="the control group's processor quota, thermal throttling, and the clock of the server's processors "
    "compared with the other trials'",
    remedy="let the machine cool down, or use one that keeps its clock under load",
    quota=Threshold(
        0.05,
        "share of the window",
        "at 5% the quota makes a difference as large as those that claims are about; less is a warning",
    ),
    clock=Threshold(
        0.05,
        "share of the median trial's clock",
        "work that stays in the caches scales with the clock: 5% is the size of the differences that claims are about",
    ),
)
def throttled(case: Case, *, quota: float, clock: float) -> Iterator[Finding]:
    """Processors that were throttled: by a container's quota, by heat, or by a clock that differs between trials.

    A finding for each of the three. Only a quota can lead to a refusal, because its seconds are known.
    """
    server_cpus = set(case.record.placement.server_cpus)
    clocks = {trial.index: hertz for trial in case.trials if (hertz := _clock(trial, server_cpus)) is not None}
    usual = median(clocks.values()) if clocks else 0.0
    for trial in case.trials:
        for where, machine in case.machines(trial):
            if machine.window_seconds <= 0:
                continue
            if machine.quota_throttled_periods and machine.quota_throttled_seconds is not None:
                share = machine.quota_throttled_seconds / machine.window_seconds
                yield finding(
                    "refusal" if share >= quota else "warning",
                    f"{where}the processor quota of the lab's control group ran out in "
                    f"{machine.quota_throttled_periods:,} periods: tasks were held back for "
                    f"{machine.quota_throttled_seconds:.2f} s of {machine.window_seconds:.1f} s",
                    QUOTA,
                    trial=trial.index,
                )
            if machine.thermal_throttles:
                evidence = f"{where}processors were throttled for heat {machine.thermal_throttles:,} times"
                yield finding("warning", evidence, trial=trial.index)
            hertz = clocks.get(trial.index) if machine is trial.machine else None
            if hertz is not None and abs(hertz / usual - 1) > clock:
                yield finding(
                    "warning",
                    f"the server's processors ran at {hertz / 1e9:.2f} GHz, in the median trial at "
                    f"{usual / 1e9:.2f} GHz",
                    CLOCK,
                    trial=trial.index,
                )


def _clock(trial: TrialRecord, cpus: set[int]) -> float | None:
    frequencies = {} if trial.machine is None else trial.machine.frequencies_hertz
    ours = [hertz for cpu, hertz in frequencies.items() if cpu in cpus]
    return mean(ours) if ours else None
