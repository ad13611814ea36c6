"""How a metric goes along the sweep: rises, falls, flat, a peak, a best place, an advantage that grows."""

from collections.abc import Sequence

from fairtrial.claims.evidence import Evidence
from fairtrial.claims.ruling import ALL_VALID, Ruling, interval_in_words, result, sentence, too_few
from fairtrial.claims.values import Values, read_values
from fairtrial.experiment.claims import ShapeClaim
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef, StackRef
from fairtrial.judge.metrics import Metric, find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.statistics import shape
from fairtrial.statistics.estimate import Estimated
from fairtrial.statistics.seeding import generator
from fairtrial.wording import capitalised, count, figure


def judge(claim: ShapeClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a shape. Its estimate is the ratio between the two points that decides, or stands in the way."""
    metric = find_metric(claim.metric)
    sweep = evidence.experiment.sweep
    assert sweep is not None
    contenders = [_at(stack, value) for stack in claim.curves() for value in sweep.numbers]
    values = read_values(metric, contenders, evidence, claim.baseline)
    found = None
    ruling = Ruling("undecided", values.obstacle)
    if values.obstacle is None:
        try:
            found = _found(claim, metric, sweep.numbers, values, evidence)
        except ValueError as error:
            ruling = Ruling("undecided", str(error))
    estimated, seen = None, None
    asked = in_words(claim)
    if found is not None:
        estimated = Estimated(found.ratio, found.interval, values.blocks)
        first, second = (sweep.numbers[place] for place in found.between)
        why = too_few(values.blocks) if found.interval is None else "the interval of this ratio reaches too far"
        ruling = Ruling(found.finding, why if found.finding == "undecided" else None)
        over = f" over {claim.to}" if claim.to is not None else ""
        shown = interval_in_words(found.interval, found.level)
        seen = (
            f"{capitalised(metric.label)} of {claim.of}{over} at {sweep.title} {second:g} was {figure(found.ratio)} "
            f"times that at {first:g} ({shown}, {count(values.blocks, 'block')}; load: "
            f"{evidence.condition(contenders[0]).load.describe()}, with {sweep.title} from {sweep.numbers[0]:g} to "
            f"{sweep.numbers[-1]:g}); the claim asks that it {asked}."
        )
    ends = {
        "upheld": "A repetition in which it is proven otherwise would overturn it.",
        "refuted": "A repetition in which it is proven so would overturn it.",
        "undecided": ALL_VALID if values.obstacle else "More blocks may decide it.",
    }
    return result(
        claim,
        ruling,
        metric=claim.metric,
        subject=f"{metric.label} of {claim.of} along {sweep.title}",
        asked=asked,
        words=sentence(claim, ruling, seen, ends[ruling.verdict]),
        blocks=values.blocks,
        estimated=estimated,
    )


def in_words(claim: ShapeClaim) -> str:
    """`rises`, `peaks between 4 and 15`, `is flat within 5%`."""
    where = "" if claim.between is None else f"between {claim.between[0]:g} and {claim.between[1]:g}"
    return {
        "rises": "rises",
        "falls": "falls",
        "flat": f"is flat within {claim.within or 0:.3g}",
        "peaks": f"peaks {where}",
        "best": f"is best {where}",
        "advantage-grows": f"grows, as an advantage over {claim.to}",
    }[claim.shape]


def assert_points(claim: ShapeClaim, experiment: Experiment) -> None:
    """Whether the sweep has the points that the shape needs.

    Raises:
        ValueError: it has not.
    """
    if claim.between is None or experiment.sweep is None:
        return
    low, high = claim.between
    below, above = (any(test(value) for value in experiment.sweep.numbers) for test in (low.__gt__, high.__lt__))
    inside = any(low <= value <= high for value in experiment.sweep.numbers)
    enough = inside and (below and above if claim.shape == "peaks" else below or above)
    if not enough:
        raise ValueError(
            f"claims: {claim.id!r}: the sweep needs values between {low:g} and {high:g}, and "
            f"{'on both sides of them' if claim.shape == 'peaks' else 'others'}"
        )


def _at(stack: StackRef, value: float) -> ConditionRef:
    return ConditionRef.of(stack, value)


def _found(
    claim: ShapeClaim, metric: Metric, places: Sequence[float], values: Values, evidence: Evidence
) -> shape.Shape:
    draw, level = generator(evidence.experiment.seed, "claim", claim.id), evidence.level
    curve = [values.of(_at(claim.of, place)) for place in places]
    if claim.shape == "rises":
        return shape.rises(curve, draw, level=level)
    if claim.shape == "falls":
        return shape.falls(curve, draw, level=level)
    if claim.within is not None:
        return shape.flat(curve, claim.within, draw, level=level)
    if claim.to is not None:
        other = [values.of(_at(claim.to, place)) for place in places]
        # A lower time is the advantage: the ratio is turned, so that growing means the same for every metric.
        ahead, behind = (curve, other) if metric.higher_is_better else (other, curve)
        return shape.advantage_grows(ahead, behind, draw, level=level)
    assert claim.between is not None
    if claim.shape == "peaks":
        return shape.peak_between(places, curve, claim.between, draw, level=level)
    return shape.best_within(places, curve, claim.between, draw, lowest=not metric.higher_is_better, level=level)
