"""Processes that are none of the lab's on the processors that it measures on."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import Placement


def examine(case: Case) -> Iterator[Finding]:
    """A warning for either side's processors; a refusal only for the server's, where the figure is made."""
    for trial in case.trials:
        seen = trial.machine
        if seen is None or seen.window_seconds < max(case.thresholds["seconds"], 1e-9):
            continue
        shares = foreign_shares(seen, case.record.placement)
        role = max(shares, key=lambda name: shares[name], default=None)
        if role is None or shares[role] < min(case.thresholds["warn"], case.thresholds["refuse"]):
            continue
        yield case.finding(
            trial.index,
            "refusal" if shares.get("server", 0.0) >= case.thresholds["refuse"] else "warning",
            "processes that are not the lab's used "
            + " and ".join(f"{share:.0%} of the {name}'s processors" for name, share in shares.items())
            + " in the window",
        )


def foreign_shares(seen: MachineMeter, placement: Placement) -> dict[str, float]:
    """All work minus our own, as a share of each role's processors. Never below 0.

    Interrupts are left out on both sides; a kernel without IRQ_TIME_ACCOUNTING charges ours to our processes, so
    what is seen is at most what was there.
    """
    roles = {
        "server": (placement.server_cpus, seen.own_server_cpu_seconds),
        "load engine": (placement.load_cpus, seen.own_load_cpu_seconds),
    }
    if not placement.disjoint:
        roles = {"server": (placement.server_cpus, seen.own_server_cpu_seconds + seen.own_load_cpu_seconds)}
    return {
        role: max(seen.busy_seconds(cpus) - own, 0.0) / len(cpus) / seen.window_seconds
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
            "the kernel counts in ticks of 10 ms: in a window of 30 ms one tick is a third, whoever it was",
        ),
        "warn": Threshold(
            0.10,
            "share of the processors' time",
            "the kernel samples whose a processor is, 250 times a second on common kernels: over half a second one "
            "standard deviation of a share is up to 4.5%, so less than 10% may be nobody",
        ),
        "refuse": Threshold(
            0.25,
            "share of the server's processors' time",
            "with a quarter gone the figure is that of three quarters of the machine that is named beside it",
        ),
    },
    remedy="stop what else runs on this machine, and run again",
    examine=examine,
)
