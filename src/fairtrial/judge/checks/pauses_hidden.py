import math
from collections.abc import Iterator
from statistics import median

from fairtrial.base.formatting import figure
from fairtrial.experiment.claims import MetricClaim
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import percentile_in
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
        "whose logarithm deviates by 1; of a server that stands still for 6% of the time it makes some hundred times",
    ),
)
def pauses_hidden(case: Case, *, factor: float) -> Iterator[Finding]:
    """While a server pauses, the clients of a closed load ask for nothing, so that its pauses are in few answers.

    A warning for each claim about a percentile that would be larger by this factor if requests had gone on to be due:
    the sentence of its verdict says by how much. Mixes of requests are left out, as slow ones are no pauses.
    """
    for claim in case.record.experiment.claims:
        percentile = percentile_in(claim.metric) if isinstance(claim, MetricClaim) else None
        if percentile is None or float(percentile[1]) <= MEDIAN:
            continue
        pauses = [
            text for name in map(str, claim.needs()) if (text := _pauses_in_words(case, name, percentile[1], factor))
        ]
        if pauses:
            requests = f"Of requests that are due at a steady rate, 1 in {figure(100 / (100 - float(percentile[1])))}"
            yield finding("warning", f"{requests} would wait {' and '.join(pauses)}", claim=claim.id)


def _pauses_in_words(case: Case, name: str, percentile: str, factor: float) -> str:
    """The pauses that the percentile hides in the trials of a condition, in words; empty: none."""
    pairs = []
    for condition in case.record.conditions:
        load = case.loads[condition.id]
        for trial in case.trials_of(condition.id) if condition.contender == name and load.clients is not None else ():
            if trial.engine is None or len(trial.engine.mix) > 1 or trial.engine.has_pauses:
                continue
            times = read_histogram(trial.engine.response_time.hdr_base64)
            if times.count:
                pairs.append((times.at(float(percentile)), due_percentile(times, float(percentile))))
    if not pairs:
        return ""
    printed, due = (median(each) for each in zip(*pairs, strict=True))
    if due <= factor * printed:
        return ""
    of_answers = f"p{percentile} of the answers is {figure(1e3 * printed)} ms"
    return f"{figure(1e3 * due)} ms or longer for {name}, where {of_answers}"


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
