"""Processes other than the lab's own on the processors that it measures on."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import Placement


def examine(case: Case) -> Iterator[Finding]:
    """A warning for the processors of either side; a refusal only for the server's, which decide the figure.

    What is measured in slices is only compared with what was measured in turn with it, under the same foreign load.
    """
    for trial in case.trials:
        machine = trial.machine
        if machine is None or machine.window_seconds < max(case.thresholds["seconds"], 1e-9):
            continue
        shares = foreign_shares(machine, case.record.placement_of(trial))
        role = max(shares, key=lambda name: shares[name], default=None)
        if role is None or shares[role] < min(case.thresholds["warn"], case.thresholds["refuse"]):
            continue
        yield case.finding(
            trial.index,
            "refusal" if trial.slices is None and shares.get("server", 0.0) >= case.thresholds["refuse"] else "warning",
            "processes other than the lab's used "
            + " and ".join(f"{share:.0%} of the {name}'s processors" for name, share in shares.items())
            + (" in the window" if trial.slices is None else " in its slices: compare its figures in this run alone"),
        )


def foreign_shares(machine: MachineMeter, placement: Placement) -> dict[str, float]:
    """The processor time of all processes minus the lab's own, as a share of each role's processors; at least 0.

    Interrupts are left out on both sides. A kernel without IRQ_TIME_ACCOUNTING charges the lab's interrupts to its
    processes, so the result is never too high.
    """
    roles = {
        "server": (placement.server_cpus, machine.own_server_cpu_seconds),
        "load engine": (placement.load_cpus_here, machine.own_load_cpu_seconds),
    }
    if not placement.disjoint:
        roles = {"server": (placement.server_cpus, machine.own_server_cpu_seconds + machine.own_load_cpu_seconds)}
    return {
        role: max(machine.busy_seconds(cpus) - own, 0.0) / len(cpus) / machine.window_seconds
        for role, (cpus, own) in roles.items()
        if cpus
    }


CHECK = Check(
    name="foreign-load",
    looks_at="processor time of all processes on the server's and the load engine's processors, less that of the lab's "
    "own tree",
    thresholds={
        "seconds": Threshold(
            0.5,
            "seconds of window",
            "the kernel counts in ticks of 10 ms: in a window of 30 ms a single tick is a third",
        ),
        "warn": Threshold(
            0.10,
            "share of the processors' time",
            "the kernel samples which process has a processor, 250 times a second on common kernels: over half a "
            "second "
            "one standard deviation of a share is up to 4.5%, so less than 10% may be chance",
        ),
        "refuse": Threshold(
            0.25,
            "share of the server's processors' time",
            "with a quarter gone, the figure is that of three quarters of the machine that is named beside it",
        ),
    },
    remedy="stop whatever else runs on this machine, and run again",
    examine=examine,
    of_machine=True,
    needs_processes=True,
)
