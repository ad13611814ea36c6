"""Printed runs beside each other: chosen ones, loads of two kinds, orders, ratios, delays."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from fairtrial.judge.checks.model import Threshold
from fairtrial.judge.statistics.distributions import student_above
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind, contradiction_kind
from fairtrial_cross_examine.in_words import names, printed_name, rate, share, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun, StatedRatio

CHOICES = {"best": "the best", "chosen": "a chosen one"}


@contradiction_kind(
    "chosen-run",
    title="The best of several runs, without their spread",
    formula="the best of n runs grows with n, whatever is measured; a difference needs the spread of runs",
    ask="What did every run print, in which order, and which were left out for which reason?",
)
def chosen_run(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each file that prints the best, or any chosen one, of its runs."""
    by_source: dict[str, list[PrintedRun]] = defaultdict(list)
    for run in evidence.runs:
        if run.statistic in CHOICES:
            by_source[run.source].append(run)
    for runs in by_source.values():
        first = runs[0]
        of = "of several runs" if first.runs is None else f"of {first.runs:,} runs"
        says = (
            f"{names([run.name for run in runs])}: {CHOICES[str(first.statistic)]} {of} each, without the others. How "
            "far two runs of the same differ is not said, so that no difference between contenders can be told from "
            "it."
        )
        closest = _closest(runs)
        if closest is not None:
            says += f" The two closest differ by {share(closest)}."
        figures = {run.name: f"{run.statistic} {of}" for run in runs}
        yield kind.contradiction([run.name for run in runs], says, figures)


def _closest(runs: list[PrintedRun]) -> float | None:
    """The smallest difference between two runs: what the reader has to believe without a spread."""
    values = sorted(run.rate.value for run in runs if run.rate is not None and run.rate.value > 0)
    return min((high / low - 1 for low, high in pairwise(values)), default=None)


@contradiction_kind(
    "closed-beside-open",
    title="Latency of a closed load beside that of a load at a rate",
    formula="closed: rate = connections / mean latency, so that a slow answer holds back the next requests (coordinated"
    " omission: G. Tene, How NOT to Measure Latency, 2013); open: the rate is given",
    ask="What are the latencies of all contenders at the same rate, below what the slowest can do?",
)
def closed_beside_open(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction where runs of both kinds have times."""
    timed = [run for run in evidence.runs if run.of_requests and _typical(run) is not None]
    closed = [run for run in timed if run.load == "closed"]
    opened = [run for run in timed if run.load == "open"]
    of_closed, of_opened = ({run.url for run in runs} for runs in (closed, opened))
    if not closed or not opened or (None not in of_closed and of_closed == of_opened):
        return  # or each was measured in both ways
    says = (
        f"{names([run.name for run in closed])}: a closed load, in which a client that waits sends nothing. "
        f"{names([run.name for run in opened])}: requests at a rate, whatever the answers do. Latencies of the one "
        "leave out what those of the other count, and cannot be compared."
    )
    yield kind.contradiction([run.name for run in (*closed, *opened)], says, dict(map(_figure, (*closed, *opened))))


def _typical(run: PrintedRun) -> Figure | None:
    return run.times.mean or run.times.percentiles.get("50")


def _figure(run: PrintedRun) -> tuple[str, str]:
    typical = _typical(run)
    assert typical is not None
    load = "closed"
    if run.load == "open":
        at = run.constant_rate_per_second or run.rate_per_second
        load = "at a rate" if at is None else f"at {rate(at.value)}"
    elif run.connections is not None:
        load = f"closed, {run.connections:,} connections"
    return run.name, f"{time(typical.value)}, {load}"


FEWEST_RUNS = 2


@contradiction_kind(
    "order-within-noise",
    title="An order that the spread does not support",
    formula="t = (mean₂ - mean₁) / √(σ₁²/n₁ + σ₂²/n₂), two-sided (B. L. Welch, Biometrika 34 (1947), 28-35)",
    ask="How many more runs does it take to tell them apart, or is the difference too small to matter?",
    alpha=Threshold(0.05, "probability", "the level of every interval in Fairtrial: 95%"),
)
def order_within_noise(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Each command against the fastest of its file, where means, deviations and numbers of runs are printed."""
    by_source: dict[str, list[PrintedRun]] = defaultdict(list)
    for run in evidence.runs:
        # Of commands only: a deviation of response times is not that of runs.
        mean, deviation = run.times.mean, run.times.deviation
        if not run.of_requests and mean is not None and deviation is not None and (run.runs or 0) >= FEWEST_RUNS:
            by_source[run.source].append(run)
    for runs in by_source.values():
        fastest, *others = sorted(runs, key=lambda run: run.times.mean.value if run.times.mean else 0.0)
        for other in others:
            p = _p_value(fastest, other)
            if p is not None and p > kind.threshold("alpha"):
                yield _unsupported_order(kind, fastest, other, p)


def _p_value(fastest: PrintedRun, other: PrintedRun) -> float | None:
    """Welch's t-test on the printed means, deviations and numbers of runs; None without any spread."""
    first, second = fastest.times, other.times
    assert first.mean is not None and first.deviation is not None and fastest.runs is not None
    assert second.mean is not None and second.deviation is not None and other.runs is not None
    if first.deviation.value == 0 and second.deviation.value == 0:
        return None
    # Welch's t and its degrees of freedom (Satterthwaite).
    parts = [first.deviation.value**2 / fastest.runs, second.deviation.value**2 / other.runs]
    t = (second.mean.value - first.mean.value) / math.sqrt(sum(parts))
    degrees = sum(parts) ** 2 / (parts[0] ** 2 / (fastest.runs - 1) + parts[1] ** 2 / (other.runs - 1))
    return 2 * float(student_above(np.asarray([abs(t)]), degrees)[0])


def _unsupported_order(kind: ContradictionKind, fastest: PrintedRun, other: PrintedRun, p: float) -> Contradiction:
    first, second = fastest.times, other.times
    assert first.mean is not None and second.mean is not None
    assert first.deviation is not None and second.deviation is not None
    says = (
        f"{printed_name(fastest.name)} is {share(second.mean.value / max(first.mean.value, 1e-12) - 1)} faster than "
        f"{printed_name(other.name)} by the means. By their own spread, equals differ so much or more in {share(p)} of "
        "all comparisons: no order is shown."
    )
    figures = {
        run.name: f"{time(times.mean.value)} ± {time(times.deviation.value)}, {run.runs:,} runs"
        for run, times in ((fastest, first), (other, second))
        if times.mean is not None and times.deviation is not None
    }
    return kind.contradiction([fastest.name, other.name], says, {**figures, "p": f"{p:.3g}"})


@contradiction_kind(
    "stated-ratio",
    title="A ratio that the figures do not give",
    formula="ratio = figure of the one / figure of the other",
    ask="Which figures is the ratio of?",
    share=Threshold(0.02, "share of the ratio", "beyond the rounding of the printed digits"),
)
def stated_ratio(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Ratios against the runs that they are about, and ratios of one subject against each other."""
    runs = {(run.source, run.name): run for run in evidence.runs}
    subjects: dict[tuple[str, str], list[StatedRatio]] = defaultdict(list)
    for ratio in evidence.ratios:
        subjects[ratio.source, ratio.subject].append(ratio)
        computed = _computed(ratio, runs)
        if computed is None or computed.agrees_with(ratio.factor, kind.threshold("share")):
            continue
        says = (
            f"{ratio.subject}: {ratio.factor.value:.3g} is stated, and the figures of {ratio.of} and {ratio.to} give "
            f"{computed.value:.3g}."
        )
        figures = {"stated": f"{ratio.factor.value:.3g}", "by the figures": f"{computed.value:.3g}"}
        yield kind.contradiction([str(ratio.of), str(ratio.to)], says, figures)
    for (_, subject), ratios in subjects.items():
        ordered = sorted(ratios, key=lambda ratio: ratio.factor.value)
        least, most = ordered[0].factor, ordered[-1].factor
        if not least.agrees_with(most, kind.threshold("share")):
            says = f"{subject}: {least.value:.3g} times as much is stated in one place, {most.value:.3g} in another."
            yield kind.contradiction([], says, {"one": f"{least.value:.3g}", "other": f"{most.value:.3g}"})


def _computed(ratio: StatedRatio, runs: dict[tuple[str, str], PrintedRun]) -> Figure | None:
    """The ratio of the two runs: of their rates, or of their seconds."""
    of, to = (runs.get((ratio.source, name or "")) for name in (ratio.of, ratio.to))
    if of is None or to is None:
        return None
    first, second = (run.rate_per_second if ratio.measure == "rate" else run.seconds for run in (of, to))
    return None if first is None or second is None else first.over(second)


@contradiction_kind(
    "implied-delay",
    title="A delay that implies another delay",
    formula="delay = connections / rate - connections / rate at no delay",
    ask="How was the delay made, and what did the server itself measure of it? An event loop whose timer ticks every "
    "so often answers late.",
    share=Threshold(0.1, "share of the delay", "what a busy machine adds to a sleep, generously"),
    timer_seconds=Threshold(
        0.001,
        "seconds",
        "the granularity of an event loop's timers: epoll_wait takes whole milliseconds",
    ),
)
def implied_delay(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where connections / rate, without what a request takes at no delay, is longer or shorter than the delay."""
    for run in evidence.runs:
        delay, duration = run.delay_seconds, _request_seconds(run)
        if delay is None or duration is None or run.rate_per_second is None or delay.value <= 0:
            continue
        undelayed = _undelayed_time(run, evidence.runs)
        shortest = duration.low - (undelayed.high if undelayed is not None else 0.0)
        longest = duration.high - (undelayed.low if undelayed is not None else 0.0)
        room = kind.threshold("share") * delay.value + kind.threshold("timer_seconds")
        implied = duration.value - (undelayed.value if undelayed is not None else 0.0)
        # Without the time at no delay, a longer time than the delay can be the request's own.
        too_long = undelayed is not None and shortest > delay.high + room
        too_short = duration.high < (1 - kind.threshold("share")) * delay.low
        if not too_long and not too_short:
            continue
        is_single = run.connections == 1
        way = "one after another" if is_single else f"over {run.connections:,} connections"
        says = (
            f"{rate(run.rate_per_second.value)} {way} are {time(duration.value)} a request; {time(delay.value)} was "
            f"stated as the delay of the server. "
        )
        says += (
            f"Without the {time(undelayed.value)} that a request takes at no delay, the delay was {time(implied)}, "
            f"between {time(shortest)} and {time(longest)} by the digits printed: {implied / delay.value:.2g} times "
            "the stated one."
            if too_long and undelayed is not None
            else "No answer can be faster than the delay."
        )
        figures = {
            "connections / rate": time(duration.value),
            "stated delay": time(delay.value),
            "implied delay": time(implied),
        }
        yield kind.contradiction([run.name], says, figures)


def _request_seconds(run: PrintedRun) -> Figure | None:
    """The time that one request takes in a closed load: connections / rate."""
    if run.connections is None or run.rate_per_second is None or run.load == "open":
        return None
    return Figure(value=float(run.connections)).over(run.rate_per_second)


def _undelayed_time(run: PrintedRun, runs: Sequence[PrintedRun]) -> Figure | None:
    """The time that a request of the same contender takes at no delay."""
    for other in runs:
        same = other.contender is not None and other.contender == run.contender and other.source == run.source
        if same and other.connections == run.connections and other.delay_seconds is not None:
            duration = _request_seconds(other)
            if other.delay_seconds.value == 0 and duration is not None:
                return duration
    return None
