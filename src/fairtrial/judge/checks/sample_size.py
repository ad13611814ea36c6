from collections.abc import Iterator

from fairtrial.experiment.claims import MetricClaim
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.judge.metrics import find_metric, percentile_in
from fairtrial.judge.metrics.metric import times_behind
from fairtrial.judge.statistics.support import samples_needed, supports_percentile
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord


@check(
    "too-few-answers",
    looks_at="the number of verified answers in the window",
    remedy="look at the errors first; if the workload is slow by nature, lengthen duration_seconds",
    verified=Threshold(1, "answers", "without an answer there is nothing to measure: a rate of zero is never printed"),
)
def too_few_answers(engine: EngineSummary, *, verified: float) -> Iterator[Finding]:
    """A trial without verified answers has no result: zero is never one.

    A refusal.
    """
    if engine.verified < verified:
        waiting = f"; {engine.in_flight_at_end:,} still waited at the end" if engine.in_flight_at_end else ""
        evidence = f"{engine.verified:,} verified answers in {engine.window_seconds:.1f} s{waiting}"
        yield finding("refusal", evidence)


IN_EVERY_TABLE = frozenset({("", "response_time", "99")})
"""Request (empty: all), kind and percentile of what every table has a column for."""


@check(
    "percentile-unsupported",
    looks_at="the number of answers in the window, compared with what the percentiles that are shown or claimed need",
    remedy="lengthen duration_seconds",
)
def percentile_unsupported(trial: TrialRecord, case: Case) -> Iterator[Finding]:
    """A percentile that is not shown because the sample is too small, and how many answers it needs.

    Where answers are too few: a warning for a percentile that a claim needs, a note for one that is only shown.
    """
    if trial.engine is None or trial.engine.verified == 0:
        return
    claimed = {
        (claim.request or "", *pair)
        for claim in case.record.experiment.claims
        if isinstance(claim, MetricClaim) and (pair := percentile_in(claim.metric)) is not None
    }
    for request, kind, percentile in sorted(claimed | IN_EVERY_TABLE):
        times = times_behind(find_metric(f"{kind}_p{percentile}", request or None), trial, kind)
        if times is not None and not supports_percentile(times.count, float(percentile)):
            samples = samples_needed(float(percentile))
            whose = f" of `{request}`" if request else ""
            yield finding(
                "warning" if (request, kind, percentile) in claimed else "note",
                f"p{percentile} of {kind.replace('_', ' ')}{whose} is not shown: it needs {samples:,} answers in "
                f"each trial, and this one has {times.count:,}",
                f"lengthen duration_seconds {samples / max(times.count, 1):.1f} times",
            )
