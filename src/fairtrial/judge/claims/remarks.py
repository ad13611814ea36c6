"""Remarks of a verdict beside its figures: the classes of the stacks that it compares, that their work differs, and
what was warned of in its trials."""

from collections import Counter
from collections.abc import Mapping
from statistics import median

from fairtrial.experiment.claims import Claim, MetricClaim
from fairtrial.experiment.stack_class import StackClass
from fairtrial.judge.claims.baselines import baseline_figure
from fairtrial.judge.claims.closed_rates import closed_rates, mean_times
from fairtrial.judge.claims.contender_limit import limits_in_words
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.tail_reach import turns_reach
from fairtrial.judge.design import is_in_sentence
from fairtrial.judge.metrics import find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.record.model import Condition

TURNS_SHARE = 0.02
"""A percentile that turns may have lowered by less is not remarked on; it is in the interval all the same."""


def with_remarks(claim: Claim, result: ClaimResult, evidence: Evidence) -> ClaimResult:
    """The claim's entry in the result, with its findings and with sentences that its verdict cannot do without."""
    classes = _different_classes(claim, evidence)
    findings = [*evidence.findings.get(claim.id, ())]
    remarks: list[str] = []
    if classes:
        stack_classes = ", ".join(f"{name} ({stack_class})" for name, stack_class in classes.items())
        remarks.append(f"It compares stacks of different classes: {stack_classes}.")
    unequal = [each for each in findings if each.check == "unequal-work" and each.severity == "note"]
    remarks += [f"Unequal work: {finding.evidence}." for finding in unequal]
    if claim.unequal_work is not None and not unequal:
        remarks += [
            f"The claim says that the work is unequal: “{claim.unequal_work.strip().rstrip('.')}”; the counters of the "
            "database do not show it."
        ]
    remarks += [f"Known from the design: {finding.evidence}." for finding in findings if is_in_sentence(finding)]
    remarks += [f"{finding.evidence}." for finding in findings if finding.check == "pauses-hidden"]
    if result.estimate is not None:
        remarks += [
            *baseline_figure(claim, evidence),
            *closed_rates(claim, evidence),
            *mean_times(claim, result.estimate, evidence),
            *_turns(claim, evidence),
            *limits_in_words(claim, evidence),
        ]
    for remark in (_placement, _unproven, _warnings, _over_the_run):
        remarks += remark(claim, evidence)
    if result.verdict != "undecided" and evidence.earlier_runs:
        remarks.append(f"This is run {evidence.earlier_runs + 1} of the experiment in its folder of results.")
    return result.model_copy(
        update={
            "sentence": " ".join([result.sentence, *remarks]),
            "remarks": remarks,
            "stack_classes": dict(classes),
            "findings": findings,
        }
    )


def _conditions(claim: Claim, evidence: Evidence) -> dict[str, Condition]:
    """The conditions that the claim rests on, as it names them, and the points of its curves."""
    curves = set(map(str, claim.curves()))
    along = [each for each in evidence.experiment.condition_refs if str(each.stack) in curves]
    return {str(each): evidence.condition(each) for each in (*claim.needs(), *along)}


def _placement(claim: Claim, evidence: Evidence) -> list[str]:
    """A sentence where stack and database had the same processors: a figure is then of both."""
    conditions = _conditions(claim, evidence).values()
    shared = any(each.id in evidence.beside_database for each in conditions)
    return ["Stack and database share processors."] if shared else []


def _turns(claim: Claim, evidence: Evidence) -> list[str]:
    """A sentence on percentiles that turns may have lowered, by which the interval was extended."""
    if not isinstance(claim, MetricClaim):
        return []
    metric = find_metric(claim.metric, claim.request)
    reaches = {
        name: median(turns_reach(metric, trial) for trial in trials)
        for name, each in _conditions(claim, evidence).items()
        if (trials := list(evidence.of(each).values()))
    }
    higher = [f"up to {reach:.0%} higher for {name}" for name, reach in reaches.items() if reach > TURNS_SHARE]
    if not higher:
        return []
    return [
        f"If no connection had waited for a turn, the {metric.label} would be {' and '.join(higher)}: the interval "
        "holds it."
    ]


def _unproven(claim: Claim, evidence: Evidence) -> list[str]:
    """A sentence on the conditions whose work nobody counted."""
    names = [name for name, each in _conditions(claim, evidence).items() if each.id in evidence.unproven]
    return [f"Nothing but its answers says that the work of {' and '.join(names)} was done."] if names else []


def _over_the_run(claim: Claim, evidence: Evidence) -> list[str]:
    """A sentence each on the warnings about the whole run that concern the claim, and on what was not examined."""
    conditions = _conditions(claim, evidence).values()
    names = {each.contender for each in conditions}
    trials = {trial.index for each in conditions for trial in evidence.of(each).values()}
    relevant = [each for each in evidence.overall if not each.contenders or names.intersection(each.contenders)]
    warned = sorted({each.check for each in relevant if each.severity == "warning"})
    blind = {each.check for each in relevant if not each.examined}
    blind |= {check for trial in trials for check in evidence.outcomes[trial].not_examined}
    sentences = [f"Of the whole run, checks warn: {', '.join(warned)}."] if warned else []
    return [*sentences, f"Not examined: {', '.join(sorted(blind))}."] if blind else sentences


def _warnings(claim: Claim, evidence: Evidence) -> list[str]:
    """A sentence on the warnings about the trials that the verdict rests on; none where there are none."""
    conditions = _conditions(claim, evidence).values()
    trials = {trial.index for condition in conditions for trial in evidence.of(condition).values()}
    warned = Counter(check for trial in trials for check in evidence.outcomes[trial].warning)
    if not warned:
        return []
    checks = ", ".join(f"{check} (in {number})" for check, number in sorted(warned.items()))
    return [f"Of the {len(trials)} trials that it rests on, checks warn: {checks}."]


def _different_classes(claim: Claim, evidence: Evidence) -> Mapping[str, StackClass]:
    """The class of each stack that the claim names; empty if all are of one class."""
    classes = {str(each.stack): evidence.condition(each).stack_class for each in claim.needs()}
    for stack in claim.curves():
        at_any = next(each for each in evidence.experiment.condition_refs if str(each.stack) == str(stack))
        classes[str(stack)] = evidence.condition(at_any).stack_class
    return classes if len(set(classes.values())) > 1 else {}
