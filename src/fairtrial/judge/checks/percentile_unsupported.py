"""A percentile that is not shown because the sample is too small, and how many answers it needs."""

from collections.abc import Iterator

from fairtrial.experiment.claims import MetricClaim
from fairtrial.judge.checks.model import Case, Check, Finding
from fairtrial.judge.metrics import percentile_in, times_of
from fairtrial.judge.statistics.support import samples_needed, supports_percentile
from fairtrial.record.engine_summary import Distribution, EngineSummary

IN_EVERY_TABLE = frozenset({("", "response_time", "99")})
"""Request (empty: all), kind and percentile of what every table has a column for."""


def examine(case: Case) -> Iterator[Finding]:
    """Where answers are too few: a warning for a percentile that a claim needs, a note for one that is only shown."""
    claimed = {
        (claim.request or "", *pair)
        for claim in case.record.experiment.claims
        if isinstance(claim, MetricClaim) and (pair := percentile_in(claim.metric)) is not None
    }
    for trial in case.trials:
        summary = trial.engine
        if summary is None or summary.verified == 0:
            continue
        for request, kind, percentile in sorted(claimed | IN_EVERY_TABLE):
            times = _times(summary, request, kind)
            if times is not None and not supports_percentile(times.count, float(percentile)):
                samples = samples_needed(float(percentile))
                whose = f" of `{request}`" if request else ""
                yield case.finding(
                    trial.index,
                    "warning" if (request, kind, percentile) in claimed else "note",
                    f"p{percentile} of {kind.replace('_', ' ')}{whose} is not shown: it needs {samples:,} answers in "
                    f"each trial, and this one has {times.count:,}",
                    f"lengthen duration_seconds {samples / max(times.count, 1):.1f} times",
                )


def _times(summary: EngineSummary, request: str, kind: str) -> Distribution | None:
    """The times of one request, or of all; None if they were not kept: the verdict says so."""
    measured = summary.share_of(request) if request else summary
    return None if measured is None else times_of(measured, kind)


CHECK = Check(
    name="percentile-unsupported",
    looks_at="the number of answers in the window, compared with what the percentiles that are shown or claimed need",
    thresholds={},
    remedy="lengthen duration_seconds",
    examine=examine,
)
