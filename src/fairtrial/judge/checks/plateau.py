from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from fairtrial.experiment.claims import MetricClaim
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.model import Condition, ExperimentRecord, TrialRecord
from fairtrial.record.processes import ServerMeter

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


@check(
    "plateau",
    looks_at="contenders of the same workload, service and closed load: their goodput, and their processor time for "
    "each "
    "answer",
    remedy="do not rank these; raise the limit (processors, threads, connections) or choose a workload that demands "
    "more of the stack",
    needs_processes=True,
    within=Threshold(
        0.03,
        "share of the lowest goodput",
        "of 380 published entries 174 lay within 1.5% of each other, at the harness's limit; twice that",
    ),
    cost=Threshold(
        1.5,
        "times the cheapest's processor time for an answer",
        "at limits of their own, half as much cost again would show as a third less goodput",
    ),
)
def plateau(case: Case, *, within: float, cost: float) -> Iterator[Finding]:
    """Contenders that differ in cost and reach the same figure: something that they share is the limit.

    A warning on the experiment for each such group; a refusal of each verdict that compares goodput within one.
    """
    plateaus = []
    for contenders in _compared_contenders(case):
        for group in _groups(contenders, within):
            costs = [contender.cost for contender in group]
            if min(costs) > 0 and max(costs) >= cost * min(costs):
                plateaus.append(group)
    for group in plateaus:
        names = [contender.name for contender in group]
        yield finding("warning", _in_words(case.record, group), contenders=names)
    for claim in case.record.experiment.claims:
        if not isinstance(claim, MetricClaim) or claim.metric != "goodput" or claim.request is not None:
            continue
        compared = {str(each) for each in claim.conditions()}
        for group in plateaus:
            if len(compared & {contender.name for contender in group}) > 1:
                yield finding("refusal", _in_words(case.record, group), claim=claim.id)
                break


def _in_words(record: ExperimentRecord, group: Sequence[_Contender]) -> str:
    costs, rates = [each.cost for each in group], [each.goodput for each in group]
    return (
        f"{', '.join(contender.name for contender in group)} all reach {min(rates):,.0f} to {max(rates):,.0f} "
        f"answers a second, although the dearest takes {max(costs) / min(costs):.1f} times the processor time of "
        f"the cheapest for each; {_limit(record, group)}"
    )


def _compared_contenders(case: Case) -> Iterator[list[_Contender]]:
    """Contenders of the same workload, service, load and placement, group by group."""
    groups: dict[tuple[str, ...], list[Condition]] = defaultdict(list)
    for condition in case.record.conditions:
        alike = (condition.workload, condition.service, condition.load.model_dump_json(), condition.placement)
        groups[alike].append(condition)
    for conditions in groups.values():
        contenders = []
        for condition in conditions:
            trials = case.trials_of(condition.id)
            measured = [trial for trial in trials if trial.engine is not None and trial.server is not None]
            contender = _contender(condition.contender, measured, case.record.placement.load_processors)
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


def _groups(contenders: Sequence[_Contender], within: float) -> list[list[_Contender]]:
    """Every group of two or more whose highest goodput is at most the share `within` above its lowest; none lies within
    another."""
    ordered = sorted(contenders, key=lambda contender: contender.goodput)
    groups: list[list[_Contender]] = []
    for place, lowest in enumerate(ordered):
        group = [other for other in ordered[place:] if other.goodput <= lowest.goodput * (1 + within)]
        if len(group) > 1 and (not groups or group[-1] is not groups[-1][-1]):
            groups.append(group)
    return groups


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
