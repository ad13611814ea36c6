from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord
from fairtrial.record.processes import ServerMeter

GENERATOR_BUSY = 0.8
"""The share at which `generator-saturated` warns."""


@check(
    "contender-idle",
    looks_at="processor time of stack, database and balancer together under a closed load, compared with one "
    "processor and with the load engine's own",
    remedy="look for sleeps, locks, a pool that is too small, round trips, or an answer that is held back (see "
    "delayed-ack); more connections tell waiting from a limit",
    needs_processes=True,
    busy=Threshold(
        0.85,
        "processors",
        "a single thread that never waits uses 1; below 0.85 the same program could reach an eighth more, and what "
        "limits it is not processor time",
    ),
)
def contender_idle(
    engine: EngineSummary, server: ServerMeter, trial: TrialRecord, case: Case, *, busy: float
) -> Iterator[Finding]:
    """A server that is idle under a load that never pauses is waiting for something: the finding says for what.

    A note where they used less than one processor, and what was busy.
    """
    if engine.achieved_over_offered is not None:
        return
    stack, service, balancer = (_share(meter) for meter in (server, trial.service, trial.balancer))
    if stack + service + balancer >= busy:
        return
    others = _other_load(case, trial)
    if stack + service + balancer + others >= busy:
        return  # `foreign-load` and `stolen` report this
    used = f"the stack used {stack:.0%} of one processor"
    if trial.service is not None:
        used += f" and its database {service:.0%}"
    if trial.balancer is not None:
        used += f" and its balancer {balancer:.0%}"
    generator = engine.busiest_processor_share(case.record.placement.load_processors)
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
    yield finding("note", f"{used} under a load that never pauses; {why}", remedy)


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
