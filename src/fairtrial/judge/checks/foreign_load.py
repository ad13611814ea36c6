from collections.abc import Iterator, Mapping

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import TrialRecord
from fairtrial.record.placement import Placement

LOAD_ENGINE = "load engine"


@check(
    "foreign-load",
    looks_at="processor time of all processes on the server's and the load engine's processors, and on those of "
    "further hosts, less that of the lab's own tree and of the kernel's own threads",
    remedy="stop whatever else runs on this machine, and run again",
    of_machine=True,
    needs_processes=True,
    seconds=Threshold(
        0.5,
        "seconds of window",
        "the kernel counts in ticks of 10 ms",
    ),
    warn=Threshold(
        0.10,
        "share of the processors' time",
        "the kernel samples which process has a processor, 250 times a second: over half a second one standard "
        "deviation of a share is up to 4.5%",
    ),
    refuse=Threshold(
        0.25,
        "share of the server's processors' time",
        "with a quarter gone, the figure is that of three quarters of the machine that is named beside it",
    ),
)
def foreign_load(
    machine: MachineMeter, trial: TrialRecord, case: Case, *, seconds: float, warn: float, refuse: float
) -> Iterator[Finding]:
    """Processes other than the lab's own on the processors that it measures on.

    A warning for the processors of any side; a refusal only for those that decide the
    figure: all but the load engine's. A note for the kernel's own threads.

    What is measured in slices is only compared with what was measured in turn with it, under the same foreign load.
    """
    if machine.window_seconds < max(seconds, 1e-9):
        return
    placement = case.record.placement_of(trial)
    yield from _of_kernel_threads(machine, placement, warn)
    shares = foreign_shares(machine, placement, beside_seconds=case.beside_seconds(trial))
    shares |= _of_hosts_apart(case, trial, seconds)
    role = max(shares, key=lambda name: shares[name], default=None)
    if role is None or shares[role] < min(warn, refuse):
        return
    yield finding(
        "refusal" if trial.slices is None and _most_of_a_figure(shares) >= refuse else "warning",
        "processes other than the lab's used "
        + " and ".join(f"{share:.0%} of the {name}'s processors" for name, share in shares.items())
        + (" in the window" if trial.slices is None else " in its slices: compare its figures in this run alone"),
    )


def _most_of_a_figure(shares: Mapping[str, float]) -> float:
    """The largest share of those that decide the figure: all but the load engine's."""
    return max((share for side, share in shares.items() if side != LOAD_ENGINE), default=0.0)


def _of_hosts_apart(case: Case, trial: TrialRecord, seconds: float) -> dict[str, float]:
    """The shares on the processors of a service host and of a balancer host; empty where there are none."""
    shares = {}
    for name, machine, host in case.processors_apart(trial):
        if machine.window_seconds >= max(seconds, 1e-9):
            own = machine.own_server_cpu_seconds + machine.own_load_cpu_seconds
            foreign = machine.busy_seconds(host.cpus) - own - machine.kernel_thread_seconds(host.cpus)
            shares[name] = max(foreign, 0.0) / len(host.cpus) / machine.window_seconds
    return shares


def _of_kernel_threads(machine: MachineMeter, placement: Placement, warn: float) -> Iterator[Finding]:
    """A note where they used so much of either side's processors that other programs would be warned of."""
    sides = {"server": placement.server_cpus, placement.role_beside_server: placement.load_cpus}
    shares = {
        role: machine.kernel_thread_seconds(cpus) / len(cpus) / machine.window_seconds
        for role, cpus in sides.items()
        if cpus
    }
    if max(shares.values(), default=0.0) < warn:
        return
    names = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in machine.kernel_threads.items())
    yield finding(
        "note",
        "the kernel's own threads used "
        + " and ".join(f"{share:.0%} of the {role}'s processors" for role, share in shares.items())
        + (f" ({names})" if names else "")
        + ": what they do for a database or a stack (writing pages back, encryption, packets) is part of its figure",
        "see what the threads do (perf top), and put the data on a plain disk, unless all contenders make the kernel "
        "do the same",
    )


def foreign_shares(
    machine: MachineMeter, placement: Placement, *, with_kernel: bool = False, beside_seconds: float = 0.0
) -> dict[str, float]:
    """The processor time of all processes minus the lab's own, as a share of each role's processors; at least 0.

    The kernel's own threads are left out, as far as they were told apart, unless `with_kernel` asks for them.
    Interrupts are left out on both sides. A kernel without IRQ_TIME_ACCOUNTING charges the lab's interrupts to its
    processes, so the result is never too high.

    Args:
        beside_seconds: processor time on the server's processors of other labs of the run, with services or a balancer.
    """
    own_server = machine.own_server_cpu_seconds + beside_seconds
    roles = {
        "server": (placement.server_cpus, own_server),
        placement.role_beside_server: (placement.load_cpus_here, machine.own_load_cpu_seconds),
    }
    if not placement.disjoint:
        roles = {"server": (placement.server_cpus, own_server + machine.own_load_cpu_seconds)}
    return {
        role: max(machine.busy_seconds(cpus) - own - (0.0 if with_kernel else machine.kernel_thread_seconds(cpus)), 0.0)
        / len(cpus)
        / machine.window_seconds
        for role, (cpus, own) in roles.items()
        if cpus
    }
