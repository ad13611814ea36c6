"""Why one contender differs from another: the ratio of `[why]`, divided among its factors.

The answer rests on the ratio of any two of its conditions, and each of these is a claim: checks examine it as they do
those of the file, and what withholds the verdict on one withholds the answer.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from fairtrial.base.formatting import duration
from fairtrial.experiment.ab_test import METRICS as METRICS_BY_LOAD
from fairtrial.experiment.claims import RatioClaim
from fairtrial.experiment.factorial import MOST_FACTORS, FactorialDesign, make_design
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef
from fairtrial.experiment.why import Why
from fairtrial.judge.claims import NamesAt, judge_claim, validate_claim
from fairtrial.judge.claims.contender_limit import OF_WHY
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.more_blocks import blocks_needed, seconds_of_a_block
from fairtrial.judge.claims.ruling import no_ratio
from fairtrial.judge.claims.values import Values, values_of
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.metrics.asides import BESIDE
from fairtrial.judge.statistics.causes import Beside, Causes, Division, Floats, divide
from fairtrial.judge.statistics.estimate import Resolution
from fairtrial.judge.statistics.planning import MOST_BLOCKS, blocks_to_narrow
from fairtrial.judge.statistics.student import LEVEL, MINIMUM_BLOCKS

PRECISION = 0.1
"""How far the interval of a share may reach to either side: a run adds blocks until all do, while it has time. This
project's choice: it tells a third from a half."""
FURTHER_FACTORS = 3
NO_SHARES = "the ratio is not told from 1, so that there is nothing whose share could be named"
TOO_MANY_PARTS = "the ratio is not far enough from 1 to be divided among so many parts"


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
    withheld_by = None
    for result in results:
        if refusals := [finding.check for finding in result.findings if finding.severity == "refusal"]:
            obstacle, withheld_by = f"{result.reason}. {result.ending.rstrip('.')}", refusals[0]
            break
    if obstacle is not None:
        obstacle = ". ".join([obstacle, *_lone_steps(why, evidence)])
        return answer.model_copy(update={"reason": obstacle, "withheld_by": withheld_by})
    division = _divide(why, values, evidence.level)
    beside = [
        (each.label, _divide(why, others, evidence.level))
        for each in BESIDE
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
    answer = answer.model_copy(
        update={**vars(division), "parts": parts, "reason": _no_shares(division), "remarks": results[0].remarks}
    )
    return answer.model_copy(update={"advice": list(_advice(answer, design, evidence))})


def _lone_steps(why: Why, evidence: Evidence) -> Iterator[str]:
    """The remedy for a commit between that has a title and no valid trial: one that switches a package may not run
    without what is switched after it."""
    contender = evidence.experiment.contenders.get(why.start.name)
    by_variant = {} if contender is None else contender.tried_refs
    path = why.conditions
    refs = [by_variant.get(each.stack.variant) for each in path]
    trials = [evidence.of(evidence.condition(each)).values() for each in path]
    fails = [bool(each) and all(evidence.outcomes[trial.index].outcome != "valid" for trial in each) for each in trials]
    for place, condition in enumerate(path[1:-1], start=1):
        title = why.titles.get(str(condition.stack))
        if title is None or not fails[place] or fails[0] or None in refs:
            continue
        sides = [side for side in (refs[:place], refs[place + 1 :]) if len(side) > 2]
        others = "".join(f"; fairtrial why {side[0]} {side[-1]} divides others" for side in sides)
        yield (
            f"{title} may not run without what is switched after it: fairtrial ab-test {refs[place - 1]} "
            f"{refs[place + 1]} tries both at once{others}"
        )


def _advice(answer: Causes, design: FactorialDesign, evidence: Evidence) -> Iterator[str]:
    """How long shares would take where there are none, how long narrower ones, and how long more factors."""
    widest, parts = answer.widest_share, len(answer.parts)

    def length(width: float, goal: float, of: int) -> str:
        """The blocks of a run in which an interval is as narrow, at the level of one among so many."""
        levels = {"level": 1 - (1 - answer.level) / of, "then": 1 - (1 - LEVEL) / parts}
        blocks = blocks_to_narrow(width, goal, answer.blocks, **levels)
        return f"More than {MOST_BLOCKS} blocks" if blocks is None else blocks_needed(evidence, blocks)

    if widest is not None and widest > PRECISION:
        narrow = length(widest, PRECISION, parts)
        yield f"{narrow} would bring all shares to {100 * PRECISION:.0f} points on either side."
    if answer.reason in (NO_SHARES, TOO_MANY_PARTS) and answer.ratio and answer.interval:
        # Shares have bounds where the interval of the ratio at their level, on a logarithmic scale, leaves 1 out.
        low, high = map(math.log, answer.interval)
        first_shares = length((high - low) / 2, abs(math.log(answer.ratio)), 1)
        yield f"{first_shares} would tell shares if ratio and spread stayed as they are."
    more = len(design.factors) + FURTHER_FACTORS
    seconds = seconds_of_a_block(evidence) * answer.blocks
    if not design.in_order and more <= MOST_FACTORS and seconds > 0:
        conditions = len(make_design([str(place) for place in range(more)]).runs) + 1
        time = duration(seconds * conditions / len(evidence.conditions))
        yield f"{FURTHER_FACTORS} more factors would take {conditions} conditions: about {time} for as many blocks."


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
