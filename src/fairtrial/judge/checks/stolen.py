from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import TrialRecord


@check(
    "stolen",
    looks_at="steal time of the processors in the window (/proc/stat), the server's and the load engine's separately, "
    "and those of a service host and a balancer host",
    remedy="let idle processors stay awake (fairtrial doctor says whether they do); run on a machine whose processors "
    "are not shared, or at another time; read ratios, not figures, until then",
    of_machine=True,
    seconds=Threshold(
        0.5,
        "seconds of window",
        "the kernel counts in ticks of 10 ms",
    ),
    warn=Threshold(
        0.05,
        "share of the processors' time",
        "what is taken is missing from the figure: 5% is the size of the differences that claims are about",
    ),
    refuse=Threshold(
        0.25,
        "share of the processors' time",
        "with a quarter gone, the figure is that of three quarters of the machine that is named beside it",
    ),
)
def stolen(
    machine: MachineMeter, trial: TrialRecord, case: Case, *, seconds: float, warn: float, refuse: float
) -> Iterator[Finding]:
    """Processor time that the hypervisor gave to other guests.

    A warning or a refusal, by the largest of the shares.
    """
    placement = case.record.placement_of(trial)
    if machine.window_seconds < max(seconds, 1e-9):
        return
    sides = [
        ("server", machine, placement.server_cpus),
        (placement.role_beside_server, machine, placement.load_cpus_here),
    ]
    for name, meter, host in case.processors_apart(trial):
        sides.append((name, meter, host.cpus))
    shares = {
        role: meter.steal_seconds(cpus) / len(cpus) / meter.window_seconds
        for role, meter, cpus in sides
        if cpus and meter.window_seconds > 0
    }
    role = max(shares, key=lambda name: shares[name], default=None)
    if role is not None and shares[role] >= min(warn, refuse):
        yield finding(
            "refusal" if shares[role] >= refuse else "warning",
            f"the hypervisor took {shares[role]:.1%} of the {role}'s processors in the window",
        )
