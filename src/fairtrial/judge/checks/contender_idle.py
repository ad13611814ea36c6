"""A server that is not busy under a load that never pauses waits for something else: for what?"""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.model import ExperimentRecord, ServerMeter, TrialRecord

GENERATOR_BUSY = 0.8
"""As `generator-saturated` warns."""


def examine(case: Case) -> Iterator[Finding]:
    """A note where stack and database together used less than one processor under a closed load, and who was busy."""
    for trial in case.trials:
        summary = trial.engine
        if summary is None or trial.server is None or summary.achieved_over_offered is not None:
            continue
        stack, service = _share(trial.server), _share(trial.service)
        if stack + service >= case.thresholds["busy"]:
            continue
        others = _taken(case.record, trial)
        if stack + service + others >= case.thresholds["busy"]:
            continue  # `foreign-load` and `stolen` say so
        used = f"the stack used {stack:.0%} of one processor"
        if trial.service is not None:
            used += f" and its database {service:.0%}"
        generator = summary.busiest_processor_share(len(case.record.placement.load_cpus))
        if generator >= GENERATOR_BUSY:
            why, remedy = (
                f"the load engine {generator:.0%} of one of its own: the generator sets the figure",
                ("give the load engine more threads and processors, or choose a heavier workload"),
            )
        elif service > stack:
            why, remedy = (
                "most of it the database's: what it waits for (its disk, its locks) sets the figure",
                ("read this as the database's figure; look at its commits and its disk before comparing stacks on it"),
            )
        else:
            why, remedy = "nobody was at a limit: waiting sets the figure", ""
        yield case.finding(trial.index, "note", f"{used} under a load that never pauses; {why}", remedy)


def _share(meter: ServerMeter | None) -> float:
    return 0.0 if meter is None or meter.window_seconds <= 0 else meter.cpu_seconds / meter.window_seconds


def _taken(record: ExperimentRecord, trial: TrialRecord) -> float:
    """Of the server's processors by anybody else: processes, interrupts, the hypervisor. In processors."""
    seen = trial.machine
    if seen is None or seen.window_seconds <= 0:
        return 0.0
    cpus = record.placement.server_cpus
    own = seen.own_server_cpu_seconds if record.placement.disjoint else 0.0
    interrupts = sum(one.interrupt_seconds for one in seen.processors if one.cpu in cpus)
    foreign = max(seen.busy_seconds(cpus) - own, 0.0)
    return (foreign + interrupts + seen.steal_seconds(cpus)) / seen.window_seconds


CHECK = Check(
    name="contender-idle",
    looks_at="processor time of stack and database together, under a closed load, beside one processor and the load "
    "engine's own",
    thresholds={
        "busy": Threshold(
            0.85,
            "processors",
            "the least that a single thread without a wait uses is 1; below 0.85 the figure could be an eighth higher "
            "with the same program, and what keeps it down is not its processor time",
        ),
    },
    remedy="look for sleeps, locks, a pool that is too small, round trips, or an answer that is held back (see "
    "delayed-ack); more connections tell a wait from a limit",
    examine=examine,
)
