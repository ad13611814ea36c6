import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from fairtrial.base.formatting import figure
from fairtrial.experiment.claims import BudgetClaim, DifferenceClaim, EqualClaim, MetricClaim, OrderClaim, RatioClaim
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import OF_ANSWERS, percentile_in
from fairtrial.record.histogram import Histogram, read_histogram

MEDIAN = 50.0


@check(
    "pauses-hidden",
    looks_at="for claims about percentiles above the median of a closed load: the response times as they are, and "
    "corrected for coordinated omission (G. Tene, HdrHistogram, recordValueWithExpectedInterval)",
    remedy='ask under an open load: in [load], `kind = "open"`, at half of the goodput that this load shows',
    factor=Threshold(
        5.0,
        "times the percentile",
        "the correction leaves exponential times as they are and makes 2.7 times as much of the p99 of lognormal ones "
        "whose logarithm deviates by 1; of a server that stands still for 6% of the time it makes some hundred times; "
        "less is said where it would decide the claim otherwise",
    ),
)
def pauses_hidden(case: Case, *, factor: float) -> Iterator[Finding]:
    """While a server pauses, the clients of a closed load ask for nothing, so that its pauses are in few answers.

    A warning for each claim about a percentile that would be larger by this factor if requests had gone on to be due,
    or of which the claim would not be true then: the sentence of its verdict says by how much. Mixes of requests are
    left out, as slow ones are no pauses.
    """
    for claim in case.record.experiment.claims:
        if not isinstance(claim, MetricClaim):
            continue
        percentile = percentile_in(claim.metric)
        if percentile is None or percentile[0] not in OF_ANSWERS or float(percentile[1]) <= MEDIAN:
            continue
        times = {name: _times_of(case, name, percentile[1]) for name in map(str, claim.needs())}
        hidden = {name: each for name, each in times.items() if each is not None and each.due > factor * each.printed}
        if _is_decided_otherwise(claim, times):
            hidden = {name: each for name, each in times.items() if each is not None}
        if hidden:
            pauses = [each.in_words(name, percentile[1]) for name, each in hidden.items()]
            requests = f"Of requests that are due at a steady rate, 1 in {figure(100 / (100 - float(percentile[1])))}"
            yield finding("warning", f"{requests} would wait {' and '.join(pauses)}", claim=claim.id)


@dataclass(frozen=True)
class _Times:
    """A percentile of a condition, in seconds, as it is printed and as requests that are due would see it."""

    printed: float
    due: float

    def in_words(self, name: str, percentile: str) -> str:
        of_answers = f"p{percentile} of the answers is {figure(1e3 * self.printed)} ms"
        return f"{figure(1e3 * self.due)} ms or longer for {name}, where {of_answers}"


def _is_decided_otherwise(claim: MetricClaim, times: Mapping[str, _Times | None]) -> bool:
    """Whether the claim is true of what is printed, and not of what requests that are due would see."""
    sides = [each for name in map(str, claim.conditions()) if (each := times.get(name)) is not None]
    if len(sides) < len(claim.conditions()):
        return False
    return _is_true(claim, [each.printed for each in sides]) and not _is_true(claim, [each.due for each in sides])


def _is_true(claim: MetricClaim, seconds: Sequence[float]) -> bool:
    """Whether a claim is true of these times of its conditions; True for claims about curves."""
    match claim:
        case EqualClaim():
            return max(seconds) <= (1 + claim.within) * min(seconds)
        case OrderClaim():
            return sorted(seconds) == list(seconds)
        case BudgetClaim():
            value = seconds[0]
        case RatioClaim():
            value = seconds[0] / seconds[1]
        case DifferenceClaim():
            value = seconds[0] - seconds[1]
        case _:
            return True
    low, high = claim.range
    return (low is None or low <= value) and (high is None or value <= high)


def _times_of(case: Case, name: str, percentile: str) -> _Times | None:
    """The times of a condition under a closed load; None where they are not known."""
    pairs = []
    for condition in case.record.conditions:
        load = case.loads[condition.id]
        for trial in case.trials_of(condition.id) if condition.contender == name and load.clients is not None else ():
            engine = trial.tail_engine
            if engine is None or len(engine.mix) > 1 or engine.has_pauses:
                continue
            times = read_histogram(engine.response_time.hdr_base64)
            if times.count:
                pairs.append((times.at(float(percentile)), due_percentile(times, float(percentile))))
    if not pairs:
        return None
    printed, due = (median(each) for each in zip(*pairs, strict=True))
    return _Times(printed, due) if printed > 0 else None


def due_percentile(times: Histogram, percentile: float) -> float:
    """The percentile, in seconds, of what requests would have taken that were due on each connection as often as it
    asks when nothing pauses: an answer of time t stands for requests that were due at t, t - I, t - 2 I, …, where I is
    the median time.
    """
    interval_seconds = times.at(MEDIAN)
    slower = [bucket for bucket in times.buckets if bucket.middle_seconds > interval_seconds]
    due = sum(bucket.count * math.ceil(bucket.middle_seconds / interval_seconds) for bucket in slower)
    allowed = (1 - percentile / 100) * (due + times.count - sum(bucket.count for bucket in slower))

    def beyond(seconds: float) -> float:
        return sum(
            bucket.count * (math.floor((bucket.middle_seconds - seconds) / interval_seconds) + 1)
            for bucket in slower
            if bucket.middle_seconds > seconds
        )

    low, high = interval_seconds, times.buckets[-1].high_seconds
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > allowed else (low, middle)
    return high
