"""A server that is idle under a load that never pauses is waiting for something: the finding says for what."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.model import ServerMeter, TrialRecord

GENERATOR_BUSY = 0.8
"""The share at which `generator-saturated` warns."""


def examine(case: Case) -> Iterator[Finding]:
    """A note where stack and database together used less than one processor under a closed load, and what was busy."""
    for trial in case.trials:
        summary = trial.engine
        if summary is None or trial.server is None or summary.achieved_over_offered is not None:
            continue
        stack, service, balancer = (_share(meter) for meter in (trial.server, trial.service, trial.balancer))
        if stack + service + balancer >= case.thresholds["busy"]:
            continue
        others = _other_load(case, trial)
        if stack + service + balancer + others >= case.thresholds["busy"]:
            continue  # `foreign-load` and `stolen` report this
        used = f"the stack used {stack:.0%} of one processor"
        if trial.service is not None:
            used += f" and its database {service:.0%}"
        if trial.balancer is not None:
            used += f" and its balancer {balancer:.0%}"
        generator = summary.busiest_processor_share(case.record.placement.load_processors)
        if generator >= GENERATOR_BUSY:
            why, remedy = (
                f"the load engine used {generator:.0%} of one of its own: the generator limits the figure",
                ("give the load engine more threads and processors, or choose a heavier workload"),
            )
        elif balancer > max(stack, service):
            why, remedy = (
                "most of it was the balancer's: it limits the figure",
                ("take this for the balancer's figure; give it more than one worker, or try the stack without it"),
            )
        elif service > stack:
            why, remedy = (
                "most of it was the database's: what that waits for (its disk, its locks) limits the figure",
                ("take this for the database's figure; look at its commits and its disk before comparing stacks on it"),
            )
        else:
            why, remedy = "nothing was at its limit: waiting limits the figure", ""
        yield case.finding(trial.index, "note", f"{used} under a load that never pauses; {why}", remedy)


def _share(meter: ServerMeter | None) -> float:
    return 0.0 if meter is None or meter.window_seconds <= 0 else meter.cpu_seconds / meter.window_seconds


def _other_load(case: Case, trial: TrialRecord) -> float:
    """How many of the server's processors went to anything but the lab: other processes, interrupts, the hypervisor."""
    machine = trial.machine
    if machine is None or machine.window_seconds <= 0:
        return 0.0
    placement = case.record.placement_of(trial)
    cpus = placement.server_cpus
    own = machine.own_server_cpu_seconds + case.beside_seconds(trial) if placement.disjoint else 0.0
    interrupts = sum(each.interrupt_seconds for each in machine.processors if each.cpu in cpus)
    foreign = max(machine.busy_seconds(cpus) - own, 0.0)
    return (foreign + interrupts + machine.steal_seconds(cpus)) / machine.window_seconds


CHECK = Check(
    name="contender-idle",
    looks_at="processor time of stack, database and balancer together under a closed load, compared with one "
    "processor and with the load engine's own",
    thresholds={
        "busy": Threshold(
            0.85,
            "processors",
            "a single thread that never waits uses 1; below 0.85 the same program could reach an eighth more, and what "
            "limits it is not processor time",
        ),
    },
    remedy="look for sleeps, locks, a pool that is too small, round trips, or an answer that is held back (see "
    "delayed-ack); more connections tell waiting from a limit",
    examine=examine,
    needs_processes=True,
)
