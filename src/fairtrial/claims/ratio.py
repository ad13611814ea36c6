"""The ratio of a metric between two contenders, paired within each block.

Upheld if the whole 95% interval satisfies the bound, refuted if the whole interval violates it, else
undecided. A claim that rests on a trial that was refused or not run is undecided: the blocks that are left
would be a selection.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.claims.evidence import Evidence
from fairtrial.experiment.model import RatioClaim
from fairtrial.judge.metrics import METRICS, Metric
from fairtrial.judge.model import ClaimResult, VerdictWord
from fairtrial.record.model import Condition, TrialRecord
from fairtrial.statistics.bootstrap import MINIMUM_BLOCKS
from fairtrial.statistics.estimate import Estimated, paired_ratio
from fairtrial.statistics.planning import MOST_BLOCKS, blocks_to_decide
from fairtrial.statistics.seeding import generator
from fairtrial.wording import bound_in_words, count, figure, plain, span, violation_in_words


@dataclass(frozen=True)
class Pairs:
    """The metric on either side in the blocks where both are valid, and what stands in the way of a verdict."""

    of: Sequence[float]
    to: Sequence[float]
    refused: str | None
    missing: str | None

    @property
    def ratios(self) -> list[float]:
        """One a block; empty if a value is not positive."""
        if any(value <= 0 for value in (*self.of, *self.to)):
            return []
        return [left / right for left, right in zip(self.of, self.to, strict=True)]


def judge(claim: RatioClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a ratio claim."""
    metric = METRICS[claim.metric]
    of, to = evidence.condition(claim.of), evidence.condition(claim.to)
    pairs = _pairs(metric, of, to, evidence)
    estimated = None
    if pairs.ratios and pairs.refused is None:
        estimated = paired_ratio(pairs.of, pairs.to, generator(evidence.experiment.seed, "claim", claim.id))
    verdict, reason = _verdict(claim, metric, pairs, estimated)
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        kind=claim.kind,
        metric=claim.metric,
        subject=f"{metric.label} of {claim.of} / {metric.label} of {claim.to}",
        at_least=claim.at_least,
        at_most=claim.at_most,
        verdict=verdict,
        estimate=None if estimated is None else estimated.estimate,
        interval=None if estimated is None else estimated.interval,
        blocks=len(pairs.of),
        published=claim.published,
        source=claim.source,
        sentence=_sentence(claim, metric, of, to, verdict, reason, estimated, pairs),
        reason=reason,
    )


def _pairs(metric: Metric, of: Condition, to: Condition, evidence: Evidence) -> Pairs:
    left, right = evidence.of(of), evidence.of(to)
    lefts: list[float] = []
    rights: list[float] = []
    refused: list[str] = []
    missing: list[str] = []
    blocks = sorted(left.keys() | right.keys())
    for block in blocks:
        values: list[float] = []
        for condition, trial in ((of, left.get(block)), (to, right.get(block))):
            if trial is None:
                missing.append(f"block {block} holds no trial of {condition.contender}")
                continue
            value, obstacle, was_refused = _value(metric, condition, trial, evidence)
            if value is not None:
                values.append(value)
            elif was_refused:
                refused.append(obstacle)
            else:
                missing.append(obstacle)
        if len(values) == 2:
            lefts.append(values[0])
            rights.append(values[1])
    planned = evidence.experiment.blocks
    if len(blocks) < planned:
        why = "the run was interrupted" if evidence.interrupted else "the record ends early"
        missing.append(f"{why}: {len(blocks)} of {planned} blocks were begun")
    return Pairs(lefts, rights, _first_of(refused), _first_of(missing))


def _value(
    metric: Metric, condition: Condition, trial: TrialRecord, evidence: Evidence
) -> tuple[float | None, str, bool]:
    """The metric's value, or why there is none and whether that is a refusal."""
    outcome, reason = evidence.outcomes[trial.index]
    name = f"trial {trial.index} (block {trial.block}, {condition.contender})"
    if outcome != "valid":
        return None, f"{name} was {outcome} ({reason})", outcome == "refused"
    value = metric.read(trial)
    if value is None:
        return None, f"{name} has too few samples for {metric.label}", True
    return value, "", False


def _first_of(obstacles: Sequence[str]) -> str | None:
    if not obstacles:
        return None
    more = f" (and {len(obstacles) - 1} more like it)" if len(obstacles) > 1 else ""
    return obstacles[0].rstrip(".") + more


def _verdict(
    claim: RatioClaim, metric: Metric, pairs: Pairs, estimated: Estimated | None
) -> tuple[VerdictWord, str | None]:
    obstacle = pairs.refused or pairs.missing
    if obstacle is not None:
        return "undecided", obstacle
    if estimated is None:
        return "undecided", f"{metric.label} was zero in a trial, so that no ratio exists"
    if estimated.interval is None:
        return (
            "undecided",
            f"{count(estimated.blocks, 'block')} cannot carry an interval: at least {MINIMUM_BLOCKS} are needed",
        )
    low, high = estimated.interval
    lower = claim.at_least if claim.at_least is not None else 0.0
    upper = claim.at_most if claim.at_most is not None else float("inf")
    if lower <= low and high <= upper:
        return "upheld", None
    if high < lower or low > upper:
        return "refuted", None
    inside = [bound for bound in (claim.at_least, claim.at_most) if bound is not None and low <= bound <= high]
    return "undecided", f"the interval holds the bound {' and '.join(map(plain, inside))}"


def _sentence(
    claim: RatioClaim,
    metric: Metric,
    of: Condition,
    to: Condition,
    verdict: VerdictWord,
    reason: str | None,
    estimated: Estimated | None,
    pairs: Pairs,
) -> str:
    bound = bound_in_words(claim.at_least, claim.at_most)
    because = "" if reason is None else f", because {reason}"
    parts = [f"“{claim.text.strip().rstrip('.')}”: {verdict}{because}."]
    label = metric.label[0].upper() + metric.label[1:]
    if estimated is not None:
        interval = "no interval" if estimated.interval is None else f"95% interval {span(estimated.interval)}"
        loads = of.load.describe() if of.load == to.load else f"{of.load.describe()} against {to.load.describe()}"
        parts.append(
            f"{label} of {of.contender} was {figure(estimated.estimate)} times that of {to.contender} "
            f"({interval}, {count(estimated.blocks, 'block')}; load: {loads}); the claim asks for {bound}."
        )
    if verdict == "upheld":
        violation = violation_in_words(claim.at_least, claim.at_most)
        parts.append(f"A repetition whose whole interval lies {violation} would overturn it.")
    elif verdict == "refuted":
        parts.append(f"A repetition whose whole interval satisfies the bound ({bound}) would overturn it.")
    else:
        parts.append(_what_would_decide(claim, pairs, estimated))
    return " ".join(parts)


def _what_would_decide(claim: RatioClaim, pairs: Pairs, estimated: Estimated | None) -> str:
    if pairs.refused is not None or pairs.missing is not None or estimated is None:
        return "A run in which every trial of both contenders is valid would decide it."
    bounds = [bound for bound in (claim.at_least, claim.at_most) if bound is not None]
    blocks = blocks_to_decide(pairs.ratios, bounds)
    if blocks is None:
        return f"Not even {MOST_BLOCKS} blocks would decide it if estimate and spread stayed as they are."
    return f"About {max(blocks, MINIMUM_BLOCKS)} blocks would decide it if estimate and spread stayed as they are."
