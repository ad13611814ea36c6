"""Why one contender differs from another: the ratio of `[why]`, divided among its factors.

The answer rests on the ratio of any two of its conditions, and each of these is a claim: checks examine it as they do
those of the file, and what withholds the verdict on one withholds the answer.
"""

from collections import defaultdict
from itertools import combinations

from fairtrial.experiment.ab_test import METRICS as METRICS_BY_LOAD
from fairtrial.experiment.claims import RatioClaim
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef
from fairtrial.experiment.why import Why
from fairtrial.judge.claims import NamesAt, judge_claim, validate_claim
from fairtrial.judge.claims.contender_limit import OF_WHY
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ruling import no_ratio
from fairtrial.judge.claims.values import Values, values_of
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.statistics.causes import Beside, Causes, Division, Floats, divide
from fairtrial.judge.statistics.estimate import Resolution
from fairtrial.judge.statistics.student import MINIMUM_BLOCKS

BESIDE = ("server_cpu_per_1000_requests", "service_cpu_per_1000_requests", "peak_rss")
"""Metrics that tell what else a factor changed, in the trials that are there anyway."""
NO_SHARES = "the ratio is not told from 1, so that there is nothing whose share could be named"
TOO_MANY_PARTS = "the ratio is not far enough from 1 to be divided among so many parts; more blocks help"


def ratios_of(experiment: Experiment) -> list[RatioClaim]:
    """The ratio of any two conditions of `[why]` as a claim, that of its end to its start first; empty: it asks for
    none, or not all of its conditions are tried. No claim of a file has such an id."""
    why = experiment.why
    if why is None or why.not_among(experiment.condition_refs):
        return []
    usual, _ = METRICS_BY_LOAD.get(experiment.load.kind, ("goodput", True))
    first = (str(why.condition(frozenset())), str(why.whole))
    pairs = sorted(combinations(why.conditions, 2), key=lambda pair: tuple(map(str, pair)) != first)
    return [
        RatioClaim.model_construct(
            kind="ratio",
            id=f"{OF_WHY} {of} / {to}",
            text="",
            of=of,
            to=to,
            metric=why.metric or usual,
            unequal_work=why.unequal_work,
            at_least=1e-300,  # nobody doubts these bounds: it is only asked whether the verdict is withheld
            at_most=1e300,
        )
        for to, of in pairs
    ]


def validate_why(experiment: Experiment, names_at: NamesAt) -> None:
    """Require that the metric of `[why]` is one that is measured, as of a claim.

    Raises:
        ValueError: it is not.
    """
    for claim in ratios_of(experiment)[:1]:
        validate_claim(claim, experiment, names_at, "why.metric")


def causes_of(evidence: Evidence) -> Causes | None:
    """The answer to the experiment's `[why]`; None: it asks for none, or not all of its conditions were to be tried."""
    experiment = evidence.experiment
    why, ratios = experiment.why, ratios_of(experiment)
    if why is None or not ratios:
        return None
    design = why.design
    start, end, compared = why.condition(frozenset()), why.whole, why.conditions
    metric = find_metric(ratios[0].metric)
    values = values_of(metric, compared, evidence)
    answer = Causes(
        start=str(start),
        end=str(end),
        metric=metric.label,
        higher_is_better=metric.higher_is_better,
        factors=why.changes,
        combinations=len(design.runs),
        resolution=design.resolution,
        blocks=values.blocks,
        level=evidence.level,
    )
    obstacle = values.refused or values.lower_bound or values.missing
    if obstacle is None and not _has_ratios(values):
        obstacle = no_ratio(metric.label)
    results = [] if obstacle else [judge_claim(claim, evidence) for claim in ratios]
    for result in results:
        if any(finding.severity == "refusal" for finding in result.findings):
            obstacle = f"{result.reason}. {result.ending.rstrip('.')}"
            break
    if obstacle is not None:
        return answer.model_copy(update={"reason": obstacle})
    division = _divide(why, values, evidence.level)
    beside = [
        (each.label, _divide(why, others, evidence.level))
        for each in map(find_metric, BESIDE)
        if each.name != metric.name
        and not (others := values_of(each, compared, evidence)).obstacle
        and others.blocks == values.blocks
        and _has_ratios(others)
    ]
    parts = [
        part.model_copy(
            update={
                "beside": [
                    Beside(metric=label, ratio=other.parts[place].ratio, interval=other.parts[place].interval)
                    for label, other in beside
                ]
            }
        )
        for place, part in enumerate(division.parts)
    ]
    return answer.model_copy(
        update={**vars(division), "parts": parts, "reason": _no_shares(division), "remarks": results[0].remarks}
    )


def _has_ratios(values: Values) -> bool:
    """Whether there are blocks, and every value in them is positive."""
    return values.blocks > 0 and all(value > 0 for each in values.by_condition.values() for value in each)


def _divide(why: Why, values: Values, level: float) -> Division:
    """The ratio of a metric that every condition has in each block, divided among the factors."""
    design, end = why.design, why.whole
    conditions = {run: why.condition(run) for run in design.runs}
    columns = [*conditions.values(), end]

    def read(powers: Floats) -> Resolution:
        by_condition: dict[ConditionRef, float] = defaultdict(float)
        for condition, power in zip(columns, powers, strict=False):
            by_condition[condition] += power
        return values.resolution_of_product({each: power for each, power in by_condition.items() if abs(power) > 1e-9})

    return divide(
        design,
        {run: values.of(ref) for run, ref in conditions.items()},
        None if end in conditions.values() and design.adds_up else values.of(end),
        level,
        rest="more" if why.end is None else "not explained",
        read=read,
    )


def _no_shares(division: Division) -> str | None:
    """Why parts have no shares; None: they have."""
    if all(part.share is not None for part in division.parts):
        return None
    if division.interval is None:
        return f"fewer than {MINIMUM_BLOCKS} blocks"
    low, high = division.interval
    return NO_SHARES if low <= 1 <= high else TOO_MANY_PARTS
