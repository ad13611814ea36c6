from collections import defaultdict
from collections.abc import Iterator, Mapping

from fairtrial.base.formatting import count, figure_in, span_in
from fairtrial.base.units import readable_unit
from fairtrial.experiment.claims import MetricClaim
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, finding
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.metrics.readings import overhead_seconds
from fairtrial.judge.statistics.estimate import Estimate, over_blocks
from fairtrial.judge.statistics.student import LEVEL


@check(
    "broken-baseline",
    looks_at="the median overhead of each condition that a claim with a `baseline` is about, and its 95% interval",
    remedy="measure against a baseline that does less than whatever is set against it, such as a bare server in the "
    "same language: a layer cannot cost less than nothing, so this baseline does work of its own",
)
def broken_baseline(case: Case) -> Iterator[Finding]:
    """Overheads below zero: a baseline that is slower than what is set against it is none.

    A refusal of the claim's verdict.
    """
    claims = [claim for claim in case.record.experiment.claims if isinstance(claim, MetricClaim)]
    rates = _rates(case) if any(claim.baseline is not None for claim in claims) else {}
    for claim in claims:
        if claim.baseline is None:
            continue
        baseline = rates.get(str(claim.baseline), {})
        for reference in _measured(claim, case.record.experiment):
            overhead = _overhead(rates.get(str(reference), {}), baseline)
            if overhead is not None and overhead.interval is not None and overhead.interval[1] < 0:
                yield finding("refusal", _evidence(reference, claim.baseline, overhead), claim=claim.id)
                break


def _rates(case: Case) -> Mapping[str, Mapping[int, float]]:
    """Goodput per second, by the condition as claims name it and by block."""
    names = {condition.id: condition.contender for condition in case.record.conditions}
    rates: dict[str, dict[int, float]] = defaultdict(dict)
    for trial in case.trials:
        rate = METRICS["goodput"].read(trial)
        if rate:
            rates[names[trial.condition]][trial.block] = rate
    return rates


def _measured(claim: MetricClaim, experiment: Experiment) -> list[ConditionRef]:
    """The conditions whose overhead a claim is about; of a shape, each of its stacks at each value of the sweep."""
    along = [ConditionRef.of(stack, at) for stack in claim.curves() for at in experiment.points]
    return [*claim.conditions(), *along]


def _overhead(rates: Mapping[int, float], baseline: Mapping[int, float]) -> Estimate | None:
    """Seconds a request over the baseline, from the blocks in which both were measured; None if there is none."""
    overheads = [overhead_seconds(rates[block], baseline[block]) for block in sorted(rates.keys() & baseline.keys())]
    return over_blocks(overheads) if overheads else None


def _evidence(reference: ConditionRef, baseline: ConditionRef, overhead: Estimate) -> str:
    assert overhead.interval is not None
    unit = readable_unit("seconds", overhead.estimate)
    return (
        f"a request took {reference} {figure_in(-overhead.estimate, unit)} less than {baseline}, its baseline: an "
        f"overhead of {figure_in(overhead.estimate, unit)} ({100 * LEVEL:.3g}% interval "
        f"{span_in(overhead.interval, unit)}, {count(overhead.blocks, 'block')})"
    )
