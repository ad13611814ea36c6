"""How a metric, or an advantage, changes along the sweep: rises, falls, flat, a best place, a peak, returns, a lead."""

from collections.abc import Sequence

from fairtrial.base.formatting import capitalised, count, figure
from fairtrial.experiment.claims import ShapeClaim
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef, StackRef
from fairtrial.experiment.sweep import Sweep
from fairtrial.experiment.value import Value, format_value, values_in_words
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.more_blocks import Way, more_blocks
from fairtrial.judge.claims.ruling import Basis, Ruling, interval_in_words, result, too_few
from fairtrial.judge.claims.values import Values, read_values
from fairtrial.judge.metrics import Metric, find_metric
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics import shape
from fairtrial.judge.statistics.estimate import Estimate


def judge(claim: ShapeClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a shape.

    Its estimate is the ratio that decides it, or keeps it undecided: between two points, or between two stacks at one.
    """
    metric = find_metric(claim.metric, claim.request)
    sweep = evidence.experiment.sweep
    assert sweep is not None
    conditions = [_at(stack, value) for stack in claim.curves() for value in sweep.values]
    values = read_values(claim, metric, conditions, evidence)
    test = None
    ruling = Ruling("undecided", values.obstacle)
    if values.obstacle is None:
        try:
            test = _test(claim, metric, sweep, values, evidence.level)
        except ValueError as error:
            ruling = Ruling("undecided", str(error))
    estimate, level, observed, further = None, None, None, "More blocks may decide it."
    form = shape_in_words(claim)
    if test is not None:
        estimate = Estimate(estimate=test.ratio, interval=test.interval, blocks=values.blocks)
        why = too_few(values.blocks) if test.interval is None else "the interval of this ratio reaches too far"
        ruling = Ruling(test.verdict, why if test.verdict == "undecided" else None)
        level = test.level
        interval = interval_in_words(test.interval, level)
        further = more_blocks(evidence, [Way(estimate, [test.bound], level, level)])
        observed = (
            f"{capitalised(metric.label)} {metric.preposition} {_compared(claim, metric, sweep, test)} ({interval}, "
            f"{count(values.blocks, 'block')}; load: {evidence.loads(conditions[0])}, with "
            f"{sweep.title} {values_in_words(sweep.values)}); the claim asks that "
            f"{claim.of if claim.shape == 'leads' else 'it'} {form}."
        )
    endings = {
        "upheld": "A repetition in which it is proven otherwise would overturn it.",
        "refuted": "A repetition in which it is proven so would overturn it.",
        "undecided": values.way_out if values.obstacle else further,
    }
    return result(
        claim,
        ruling,
        Basis(values.blocks, estimate, level),
        subject=f"{metric.label} {metric.preposition} {claim.of} along {sweep.title}",
        requirement=form,
        observed=observed,
        ending=endings[ruling.verdict],
    )


def shape_in_words(claim: ShapeClaim) -> str:
    """`rises`, `peaks between 4 and 15`, `is flat within 0.05, as an advantage over b`."""
    where = "" if claim.between is None else f"between {claim.between[0]:g} and {claim.between[1]:g}"
    words = {
        "rises": "rises",
        "falls": "falls",
        "flat": f"is flat within {claim.within or 0:.3g}",
        "peaks": f"peaks {where}",
        "best": f"is best {where}",
        "rises-and-falls": f"rises, peaks {where}, and falls off",
        "diminishing-returns": "has diminishing returns",
        "advantage-grows": "grows",
        "leads": f"leads {claim.to} at every point",
    }[claim.shape]
    return words if claim.to is None or claim.shape == "leads" else f"{words}, as an advantage over {claim.to}"


def _compared(claim: ShapeClaim, metric: Metric, sweep: Sweep, test: shape.Shape) -> str:
    """The ratio in words: `a at connections 16 was 3.1 times that at 1`; of leads, `… was 1.2 times that of b`."""
    first, second = (format_value(sweep.values[place]) for place in test.between)
    ratio = figure(test.ratio)
    if claim.shape == "leads":
        ahead, behind = (claim.of, claim.to) if metric.higher_is_better else (claim.to, claim.of)
        return f"{ahead} at {sweep.title} {second} was {ratio} times that {metric.preposition} {behind}"
    over = f" over {claim.to}" if claim.to is not None else ""
    if claim.shape == "diminishing-returns" and test.between[0] == test.between[1]:
        ends = " to ".join(format_value(value) for value in (sweep.values[0], sweep.values[-1]))
        return f"{claim.of}{over} at {sweep.title} {second} was {ratio} times what a straight line from {ends} gives"
    return f"{claim.of}{over} at {sweep.title} {second} was {ratio} times that at {first}"


def assert_points(claim: ShapeClaim, experiment: Experiment) -> None:
    """Require that the sweep has the points that the shape needs, and that the metric can have the shape.

    Raises:
        ValueError: it has not; the message says what is missing.
    """
    if claim.shape == "diminishing-returns" and experiment.sweep is not None:
        _assert_returns(claim, experiment.sweep)
    if claim.between is None or experiment.sweep is None:
        return
    low, high = claim.between
    below, above = (any(test(value) for value in experiment.sweep.numbers) for test in (low.__gt__, high.__lt__))
    inside = any(low <= value <= high for value in experiment.sweep.numbers)
    both_sides = claim.shape != "best"
    enough = inside and (below and above if both_sides else below or above)
    if not enough:
        raise ValueError(
            f"claims: {claim.id!r}: the sweep needs values between {low:g} and {high:g}, and "
            f"{'on both sides of them' if both_sides else 'others'}"
        )


def _assert_returns(claim: ShapeClaim, sweep: Sweep) -> None:
    if len(sweep.values) < 3:
        raise ValueError(f"claims: {claim.id!r}: returns that diminish need a sweep of three values or more")
    if claim.to is None and not find_metric(claim.metric, claim.request).higher_is_better:
        raise ValueError(f"claims: {claim.id!r}: {claim.metric} is better where it is lower, and has no returns")


def _at(stack: StackRef, value: Value) -> ConditionRef:
    return ConditionRef.of(stack, value)


def _test(claim: ShapeClaim, metric: Metric, sweep: Sweep, values: Values, level: float) -> shape.Shape:
    curve: shape.Curve = [values.of(_at(claim.of, place)) for place in sweep.values]
    highest_is_best = metric.higher_is_better
    if claim.to is not None:
        other = [values.of(_at(claim.to, place)) for place in sweep.values]
        # A lower time is better: the ratio is inverted, so that above 1 means an advantage for every metric.
        ahead, behind = (curve, other) if metric.higher_is_better else (other, curve)
        if claim.shape == "leads":
            return shape.leads(ahead, behind, level=level)
        curve, highest_is_best = shape.advantage(ahead, behind), True
    return _test_curve(claim, sweep.numbers, curve, level, highest_is_best=highest_is_best)


def _test_curve(
    claim: ShapeClaim, places: Sequence[float], curve: shape.Curve, level: float, *, highest_is_best: bool
) -> shape.Shape:
    if claim.within is not None:
        return shape.flat(curve, claim.within, level=level)
    if claim.shape == "diminishing-returns":
        return shape.diminishing_returns(places, curve, level=level)
    if claim.between is None:
        judge_curve = shape.falls if claim.shape == "falls" else shape.rises
        return judge_curve(curve, level=level)
    if claim.shape == "best":
        return shape.best_within(places, curve, claim.between, lowest=not highest_is_best, level=level)
    judge_peak = shape.peak_between if claim.shape == "peaks" else shape.rises_and_falls
    return judge_peak(places, curve, claim.between, level=level)
