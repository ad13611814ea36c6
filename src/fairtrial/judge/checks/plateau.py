"""Contenders that differ in cost and reach the same figure: something that they share is the limit."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.model import Condition, ExperimentRecord, ServerMeter, TrialRecord

BUSY = 0.8
"""The share from which something is at its limit: of the generator's busiest processor, of the server's processors
for the database."""


@dataclass(frozen=True)
class _Contender:
    name: str
    goodput: float
    stack_cpu: float
    """processors"""
    service_cpu: float
    generator: float

    @property
    def cost(self) -> float:
        return self.stack_cpu / self.goodput


def examine(case: Case) -> Iterator[Finding]:
    """A warning on the experiment for the largest group of each workload, service and closed load."""
    for rivals in _rivals(case.record, case.trials):
        group = _largest(rivals, case.thresholds["within"])
        costs = [contender.cost for contender in group]
        if len(group) < 2 or min(costs) <= 0 or max(costs) < case.thresholds["cost"] * min(costs):
            continue
        rates = [contender.goodput for contender in group]
        yield case.finding(
            None,
            "warning",
            f"{', '.join(contender.name for contender in group)} all reach {min(rates):,.0f} to {max(rates):,.0f} "
            f"answers a second, although the dearest takes {max(costs) / min(costs):.1f} times the processor time of "
            f"the cheapest for each; {_limit(case.record, group)}",
        )


def _rivals(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> Iterator[list[_Contender]]:
    """Contenders of the same workload, service, load and placement, group by group."""
    groups: dict[tuple[str, ...], list[Condition]] = defaultdict(list)
    for condition in record.conditions:
        alike = (condition.workload, condition.service, condition.load.model_dump_json(), condition.placement)
        groups[alike].append(condition)
    for conditions in groups.values():
        contenders = []
        for condition in conditions:
            measured = [
                trial
                for trial in trials
                if trial.condition == condition.id and trial.engine is not None and trial.server is not None
            ]
            contender = _contender(condition.contender, measured, record.placement.load_processors)
            if contender is not None:
                contenders.append(contender)
        yield contenders


def _contender(name: str, trials: Sequence[TrialRecord], processors: int) -> _Contender | None:
    engines = [trial.engine for trial in trials if trial.engine is not None]
    if not engines or any(engine.achieved_over_offered is not None for engine in engines):
        return None
    goodput = median(engine.goodput_per_second for engine in engines)
    if goodput <= 0:
        return None
    return _Contender(
        name,
        goodput,
        median(_processors(trial.server) + _processors(trial.balancer) for trial in trials),
        median(_processors(trial.service) for trial in trials),
        median(engine.busiest_processor_share(processors) for engine in engines),
    )


def _processors(meter: ServerMeter | None) -> float:
    return 0.0 if meter is None or meter.window_seconds <= 0 else meter.cpu_seconds / meter.window_seconds


def _largest(rivals: Sequence[_Contender], within: float) -> list[_Contender]:
    """The largest group whose highest goodput is at most the share `within` above its lowest."""
    ordered = sorted(rivals, key=lambda contender: contender.goodput)
    groups = [
        [other for other in ordered if lowest.goodput <= other.goodput <= lowest.goodput * (1 + within)]
        for lowest in ordered
    ]
    return max(groups, key=len, default=[])


def _limit(record: ExperimentRecord, group: Sequence[_Contender]) -> str:
    generator = min(contender.generator for contender in group)
    cpus = max(len(record.placement.server_cpus), 1)
    service = min(contender.service_cpu for contender in group) / cpus
    if generator >= BUSY:
        return f"the load engine was busy for {generator:.0%} or more in each: it is the limit"
    if service >= BUSY:
        return f"the database used {service:.0%} or more of the server's processors in each: it is the limit"
    return (
        f"neither the load engine ({generator:.0%} or more) nor the database ({service:.0%} or more of the server's "
        "processors) was at its limit: they wait for something else that they share, such as a disk or a lock"
    )


CHECK = Check(
    name="plateau",
    looks_at="contenders of the same workload, service and closed load: their goodput, and their processor time for "
    "each "
    "answer",
    thresholds={
        "within": Threshold(
            0.03,
            "share of the lowest goodput",
            "of 380 published entries 174 lay within 1.5% of each other, at the harness's limit; twice that allows for "
            "the spread of medians over few blocks",
        ),
        "cost": Threshold(
            1.5,
            "times the cheapest's processor time for an answer",
            "at limits of their own, contenders on the same processors differ in rate as they do in cost: half as "
            "much cost again would show as a third less goodput",
        ),
    },
    remedy="do not rank these; raise the limit (processors, threads, connections) or choose a workload that demands "
    "more "
    "of the stack",
    examine=examine,
    needs_processes=True,
)
