"""Why one contender differs from another: the ratio of `[why]`, divided among its factors."""

from fairtrial.experiment.ab_test import METRICS as METRICS_BY_LOAD
from fairtrial.experiment.reference import ConditionRef
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ruling import no_ratio
from fairtrial.judge.claims.values import values_of
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.statistics.causes import Causes, divide
from fairtrial.judge.statistics.student import MINIMUM_BLOCKS

NO_SHARES = "the ratio is not told from 1, so that there is nothing whose share could be named"


def causes_of(evidence: Evidence) -> Causes | None:
    """The answer to the experiment's `[why]`; None: it asks for none, or not all of its conditions were to be tried."""
    experiment = evidence.experiment
    why = experiment.why
    if why is None:
        return None
    design = why.design
    conditions = {run: why.condition(run) for run in design.runs}
    start, end = why.condition(frozenset()), why.whole
    planned = {str(ref) for ref in experiment.condition_refs}
    compared: list[ConditionRef] = list({str(ref): ref for ref in (*conditions.values(), end)}.values())
    if not {str(ref) for ref in compared} <= planned:
        return None
    usual, _ = METRICS_BY_LOAD.get(experiment.load.kind, ("goodput", True))
    metric = find_metric(why.metric or usual)
    values = values_of(metric, compared, evidence)
    answer = Causes(
        start=str(start),
        end=str(end),
        metric=metric.label,
        higher_is_better=metric.higher_is_better,
        factors={name: factor.in_words() for name, factor in why.factors.items()},
        combinations=len(design.runs),
        resolution=design.resolution,
        blocks=values.blocks,
        level=evidence.level,
    )
    obstacle = values.refused or values.lower_bound or values.missing
    if obstacle is None and (values.blocks == 0 or any(value <= 0 for ref in compared for value in values.of(ref))):
        obstacle = no_ratio(metric.label)
    if obstacle is not None:
        return answer.model_copy(update={"reason": obstacle})
    is_combination = end in conditions.values()
    division = divide(
        design,
        {run: values.of(ref) for run, ref in conditions.items()},
        None if is_combination and design.is_full else values.of(end),
        evidence.level,
    )
    reason = None
    if any(part.share is None for part in division.parts):
        reason = f"fewer than {MINIMUM_BLOCKS} blocks" if values.blocks < MINIMUM_BLOCKS else NO_SHARES
    return answer.model_copy(update={**vars(division), "reason": reason})
