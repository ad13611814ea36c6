import math
from collections.abc import Iterator, Sequence

from fairtrial.base.formatting import figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, LoadCase, Threshold, finding, nothing_to_do
from fairtrial.judge.statistics.distributions import poisson_above
from fairtrial.judge.statistics.trend import SHORTEST, Trend, change_point, in_parts, trend
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord

MIB = 2**20
CHANCE = 0.05
"""At most this share of runs in which nothing moves has a warning."""
LONGEST_HALF = 0.95
"""A straight line with this half has ends of 5% and 195% of its middle, and their ratio is 39."""
WARM_UP = "lengthen warmup_seconds: the window opened before the contender was warm"
LEAK = (
    "look for what is kept for each request; lengthen the window until memory levels off, or take the peak as that of "
    "this window"
)


@check(
    "not-stationary",
    looks_at="goodput, median and p99 of each full second of the window, and memory: a trend (Mann-Kendall) "
    "or a step (largest standardised difference of means, by permutation); from ten seconds on",
    remedy="look for what fills or empties over time (a cache, a queue, a table, a processor that gets hot); lengthen "
    "warmup_seconds and duration_seconds",
    of_loads=True,
    alpha=Threshold(
        0.001,
        "probability",
        "seven tests a trial: at 0.1% each, one honest trial in 140 fails one by chance, and the change must also "
        "be as "
        "large as `warn`",
    ),
    by_chance=Threshold(
        0.05,
        "share of the trials",
        "where seconds are correlated by 0.5, so many windows of 20 to 30 s show a step by chance, fewer of "
        "shorter and of longer ones (docs/statistics.md, trends and steps)",
    ),
    warn=Threshold(
        0.1,
        "log ratio",
        "a drift of d over the window puts its ends d/2 from its mean: at 10% that is 5%, the differences that "
        "claims are about",
    ),
    refuse=Threshold(
        0.5,
        "log ratio",
        "the window's ends are a quarter from its mean: no single figure describes it",
    ),
    memory=Threshold(
        0.1,
        "share of the memory",
        "a peak that would be a tenth higher in a window twice as long is a property of the window",
    ),
)
def not_stationary(
    case: LoadCase, *, alpha: float, by_chance: float, warn: float, refuse: float, memory: float
) -> Iterator[Finding]:
    """A mean describes a window only if the window is stationary: warm, without a drift, without a leak.

    At most one finding for throughput, median, p99 and memory each.
    """
    moved: list[list[Finding]] = []
    for trial in case.trials:
        load = case.loads.get(trial.condition)
        changes = load is not None and not load.is_stationary  # by intent
        if trial.engine is not None and full_seconds(trial) >= SHORTEST and not changes:
            series = _series(trial.engine).items()
            moved.append(
                [each for name, values in series for each in _moved(trial.index, name, values, alpha, warn, refuse)]
            )
    yield from _beyond_chance(moved, by_chance)
    for trial in case.trials:
        if trial.server is not None and len(trial.server.rss_series_bytes) >= SHORTEST:
            yield from _grown(trial.index, trial.server.rss_series_bytes, alpha, memory)


def _beyond_chance(moved: Sequence[Sequence[Finding]], share: float) -> Iterator[Finding]:
    """The findings of all trials that were examined: warnings of fewer of them than chance explains are notes."""
    warned = sum(any(each.severity == "warning" for each in own) for own in moved)
    expected = share * len(moved)
    by_chance = poisson_above(warned - 1, expected) > CHANCE
    for own in moved:
        for each in own:
            if by_chance and each.severity == "warning":
                chance = f"in {warned} of {len(moved)} trials, where {figure(expected)} show one by chance"
                yield each.model_copy(
                    update={"severity": "note", "evidence": f"{each.evidence}; {chance}", "remedy": nothing_to_do()}
                )
            else:
                yield each


def full_seconds(trial: TrialRecord) -> int:
    """How many full seconds of a trial's window are known apart; 0 without a window, and where it was cut in slices."""
    return 0 if trial.engine is None else min(int(trial.engine.window_seconds), len(trial.engine.series))


def _series(summary: EngineSummary) -> dict[str, list[float]]:
    """By name, one value for each full second; response times only if every second has one."""
    seconds = summary.series[: int(summary.window_seconds)]
    # An open load decides the throughput itself.
    is_open = summary.achieved_over_offered is not None
    series = {} if is_open else {"goodput": [float(second.verified) for second in seconds]}
    for name, values in (
        ("median response time", [second.p50_seconds for second in seconds]),
        ("p99 of response time", [second.p99_seconds for second in seconds]),
    ):
        numbers = [value for value in values if value is not None]
        if len(numbers) == len(seconds):
            series[name] = numbers
    return {name: values for name, values in series.items() if len(values) >= SHORTEST}


def _moved(
    index: int, name: str, values: Sequence[float], alpha: float, warn: float, refuse: float
) -> Iterator[Finding]:
    values, seconds = in_parts(values)
    (drift, drift_ratio), step = _drift(values), change_point(values)
    # The tests take nearly all of the time, and what is small needs none.
    drifts = abs(drift_ratio) >= warn and drift.p_value < alpha
    steps = abs(step.log_ratio) >= warn and step.is_rare(alpha)
    if not (drifts or steps):
        return
    size = max(abs(drift_ratio) if drifts else 0.0, abs(step.log_ratio) if steps else 0.0)
    refused = size >= refuse and not name.startswith("p99")
    whole = seconds * len(values)
    if steps and (not drifts or abs(step.log_ratio) >= abs(drift_ratio)):
        early = step.index <= len(values) / 2
        what = f"after second {seconds * step.index} of {whole} was {_times(step.log_ratio)} before"
        p_value, remedy = step.p_value, WARM_UP if early else ""
    else:
        what = f"drifted by {math.expm1(drift_ratio):+.0%} over the {whole} s of the window"
        p_value, remedy = drift.p_value, ""
    yield finding("refusal" if refused else "warning", f"{name} {what} (p {p_value:.1g})", remedy, trial=index)


def _drift(values: Sequence[float]) -> tuple[Trend, float]:
    """The trend of the logarithms; of the values themselves where one is 0, by the ends of their straight line. Beside
    it the logarithm of the ratio of the window's last value to its first."""
    if min(values) > 0:
        estimate = trend([math.log(value) for value in values])
        return estimate, estimate.slope * (len(values) - 1)
    estimate = trend(values)
    # From 1 - d/2 to 1 + d/2 times the middle; a line through 0 would have no logarithm.
    half = max(-LONGEST_HALF, min(LONGEST_HALF, estimate.change / 2))
    return estimate, math.log((1 + half) / (1 - half))


def _times(log_ratio: float) -> str:
    """As what stands between the figure and *before*."""
    return "above 0, which it was" if log_ratio == math.inf else f"{figure(math.exp(log_ratio))} times that"


def _grown(index: int, values: Sequence[int], alpha: float, memory: float) -> Iterator[Finding]:
    means, seconds = in_parts(values)
    growth = trend(means)
    if growth.change >= memory and growth.p_value < alpha:
        yield finding(
            "warning",
            f"memory grew by {growth.slope / seconds / MIB:.1f} MiB a second, {growth.change:.0%} over the "
            f"window (p {growth.p_value:.1g}): the peak depends on the length of the window",
            LEAK,
            trial=index,
        )
