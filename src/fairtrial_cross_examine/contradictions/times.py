"""Printed response times that no sample has, or that say less than they seem to."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fairtrial.judge.checks.model import Threshold
from fairtrial.judge.statistics.distributions import binomial_probabilities
from fairtrial.judge.statistics.support import SAMPLES_ABOVE, samples_needed, supports_percentile
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind, contradiction_kind
from fairtrial_cross_examine.in_words import grouped, names, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun

FEWEST_ASSUMED = 1000
"""Answers, where their number is not printed."""


@contradiction_kind(
    "impossible-times",
    title="Times that no sample has",
    formula="0 ≤ minimum ≤ percentiles in their order ≤ maximum; minimum ≤ mean ≤ maximum; Σ share × percentile below "
    "≤ mean ≤ Σ share × percentile above; σ² ≤ (maximum - mean)(mean - minimum) × n / (n - 1) (R. Bhatia and C. Davis, "
    "American Mathematical Monthly 107 (2000), 353-357)",
    ask="Are all of these figures of the same run?",
    share=Threshold(
        0.01,
        "share of the figure",
        "beyond the rounding of the printed digits: histograms keep two or three digits",
    ),
)
def impossible_times(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where a figure that cannot be larger than another is, beyond the rounding of both."""
    for run in evidence.runs:
        for lower, upper, first, second in _pairs(run):
            room = kind.threshold("share") * max(first.value, second.value)
            if first.low > second.high + room:
                says = (
                    f"The {lower} is {time(first.value)}, and the {upper} is {time(second.value)}: it cannot be less."
                )
                yield kind.contradiction([run.name], says, {lower: time(first.value), upper: time(second.value)})
        yield from _below_zero(kind, run)
        yield from _spread(kind, run)
        yield from _mean(kind, run)


def _below_zero(kind: ContradictionKind, run: PrintedRun) -> Iterator[Contradiction]:
    """A program that reads wrk's "no time yet", the largest unsigned number, as a signed one has such a minimum."""
    minimum = run.times.minimum
    if minimum is not None and minimum.high < 0:
        says = f"The minimum is {time(minimum.value)}: no time is below zero."
        yield kind.contradiction([run.name], says, {"minimum": time(minimum.value)})


def _pairs(run: PrintedRun) -> Iterator[tuple[str, str, Figure, Figure]]:
    """Figures in the order in which every sample has them."""
    times = run.times
    ordered = [
        *([("minimum", times.minimum)] if times.minimum is not None else []),
        *((f"p{percent:g}", figure) for percent, figure in times.ordered()),
        *([("maximum", times.maximum)] if times.maximum is not None else []),
    ]
    for (lower, first), (upper, second) in pairwise(ordered):
        yield lower, upper, first, second
    if times.mean is not None and times.minimum is not None:
        yield "minimum", "mean", times.minimum, times.mean
    if times.mean is not None and times.maximum is not None:
        yield "mean", "maximum", times.mean, times.maximum


def _mean(kind: ContradictionKind, run: PrintedRun) -> Iterator[Contradiction]:
    """A mean that is not between what its percentiles allow: each share of the times lies between two of them.

    Percentiles are those of the same times, and one answer may lie on either side of each of them.
    """
    times, sample = run.times, run.sample or FEWEST_ASSUMED
    if times.mean is None or not times.percentiles or not run.of_requests:
        return
    steps = [
        (0.0, times.minimum or Figure(value=0.0)),
        *((percent / 100, figure) for percent, figure in times.ordered()),
        (1.0, times.maximum),
    ]
    least = most = 0.0
    of_least, of_most = [], []
    for (below, lower), (above, upper) in pairwise(steps):
        share = above - below
        assert lower is not None
        least += max(share - 1 / sample, 0.0) * lower.low
        of_least.append(f"{share:.4g} × {time(lower.value)}")
        if upper is not None:
            most += (share + 1 / sample) * upper.high
            of_most.append(f"{share:.4g} × {time(upper.value)}")
    room = 1 + kind.threshold("share")
    if times.maximum is not None and times.mean.low > most * room:
        yield _refuted(kind, run, f"is at most {time(most)}", " + ".join(of_most))
    elif times.mean.high * room < least:
        yield _refuted(kind, run, f"is at least {time(least)}", " + ".join(of_least))


def _refuted(kind: ContradictionKind, run: PrintedRun, bound: str, terms: str) -> Contradiction:
    assert run.times.mean is not None
    mean = time(run.times.mean.value)
    says = f"The mean is {mean}, but by the percentiles it {bound}: {terms}."
    return kind.contradiction([run.name], says, {"mean": mean, "by the percentiles": bound, "terms": terms})


def _spread(kind: ContradictionKind, run: PrintedRun) -> Iterator[Contradiction]:
    """A deviation that is larger than mean and extremes allow: σ² ≤ (max - mean)(mean - min), by Bhatia and Davis."""
    times = run.times
    if times.mean is None or times.maximum is None or times.deviation is None:
        return
    mean, maximum, minimum = times.mean, times.maximum, times.minimum or Figure(value=0.0)
    number = float(run.runs or run.sample or 0)
    if number < 2:
        return
    room, factor = 1 + kind.threshold("share"), number / (number - 1)
    widest = max(maximum.high * room - mean.low, 0.0) * max(mean.high * room - minimum.low, 0.0)
    if not widest or times.deviation.low <= room * math.sqrt(widest * factor):
        return  # nor where the mean is beyond the extremes, which is said already
    largest = math.sqrt(max((maximum.value - mean.value) * (mean.value - minimum.value), 0.0) * factor)
    says = (
        f"A deviation of {time(times.deviation.value)} is larger than any sample has whose mean is "
        f"{time(mean.value)} and whose times are from {time(minimum.value)} to {time(maximum.value)}: at most "
        f"{time(largest)}."
    )
    figures = {"deviation": time(times.deviation.value), "largest possible": time(largest)}
    yield kind.contradiction([run.name], says, figures)


LEAST_PERCENTILE = 90


@contradiction_kind(
    "mean-as-percentile",
    title="A percentile that is the mean",
    formula="p99 = mean, to the digit, in more runs of a tool than by chance",
    ask="Does the tool print this percentile, and does the program that reads its output take it?",
    chance=Threshold(
        0.01,
        "share of the runs",
        "two figures of three digits within one power of ten agree in one of some hundreds",
    ),
    alpha=Threshold(
        0.001, "probability", "of so many by that chance, by the binomial distribution: two of two, five of 50"
    ),
)
def mean_as_percentile(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each run, where more runs of a tool have it than by chance."""
    by_tool: dict[str, list[tuple[PrintedRun, str, bool]]] = defaultdict(list)
    for run in evidence.runs:
        highest = _highest(run)
        if highest is not None:
            by_tool[run.tool].append((run, *highest))
    for tool, runs in by_tool.items():
        equal = sum(same for _, _, same in runs)
        by_chance = binomial_probabilities(len(runs), kind.threshold("chance"))[equal:].sum()
        if not equal or by_chance >= kind.threshold("alpha"):
            continue
        for run, name, same in runs:
            if same and run.times.mean is not None:
                figure = time(run.times.mean.value)
                says = (
                    f"The mean and the p{name} are both {figure}, to the digit, as in {equal:,} of {len(runs):,} rows "
                    f"by {tool}: one in {round(1 / kind.threshold('chance'))} would be chance."
                )
                yield kind.contradiction([run.name], says, {"mean": figure, f"p{name}": figure})


def _highest(run: PrintedRun) -> tuple[str, bool] | None:
    """The lowest high percentile, and whether it is the mean; None where the digits are too few to tell."""
    mean = run.times.mean
    high = [(name, run.times.percentiles[name]) for name in run.times.percentiles if float(name) >= LEAST_PERCENTILE]
    low = [figure for percent, figure in run.times.ordered() if percent < LEAST_PERCENTILE]
    if mean is None or not high or any(_is_close(figure, mean) for figure in low):  # all times are nearly the same
        return None
    name, figure = min(high, key=lambda pair: float(pair[0]))
    return (name, figure == mean) if _has_three_digits(mean) and _has_three_digits(figure) else None


CLOSE_DIGITS = 20
"""Units of the last digit: where all times lie within so few, two of them agree more often than by the chance above."""


def _is_close(figure: Figure, mean: Figure) -> bool:
    return abs(figure.value - mean.value) <= 2 * CLOSE_DIGITS * mean.within


def _has_three_digits(figure: Figure) -> bool:
    return 0 < 200 * figure.within <= figure.value


@contradiction_kind(
    "unsupported-percentile",
    title="Percentiles that the sample does not support",
    formula="answers × (100 - percentile) / 100 ≥ 10",
    ask="Which percentiles hold in a second run? Run long enough, or leave them out.",
    answers=Threshold(
        float(SAMPLES_ABOVE),
        "slower answers",
        "as everywhere in Fairtrial: what ten slower answers make of p99 lies, 95 times in 100, between p98.4 and "
        "p99.6 (H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition, section 7.1)",
    ),
)
def unsupported_percentile(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each run, with all of its percentiles that have too few answers above them.

    A percentile that fewer than ten slower answers carry is the maximum under another name.
    """
    for run in evidence.runs:
        sample = run.sample
        if sample is None or not run.of_requests:
            continue
        rare = [
            (percent, figure)
            for percent, figure in run.times.ordered()
            if percent > 50 and not supports_percentile(int(sample), percent)
        ]
        if not rare:
            continue
        percentiles = ", ".join(f"p{percent:g} {time(figure.value)}" for percent, figure in rare)
        first = rare[0][0]
        above = sample * (100 - first) / 100
        says = (
            f"{percentiles}: above p{first:g} of {grouped(sample)} answers lie {above:.3g}; it needs "
            f"{samples_needed(first):,} answers for ten."
        )
        if len(rare) > 1:
            says += f" p{rare[-1][0]:g} needs {samples_needed(rare[-1][0]):,}."
        figures = {"answers": grouped(sample)}
        figures |= {f"answers that p{percent:g} needs": f"{samples_needed(percent):,}" for percent, _ in rare}
        yield kind.contradiction([run.name], says, figures)


@dataclass(frozen=True)
class Timer:
    """A timer of TCP, where it puts an answer, and what it comes from."""

    name: str
    low_seconds: float
    high_seconds: float
    source: str
    ask: str

    def holds(self, figure: Figure) -> bool:
        """Whether a time lies where this timer puts it."""
        return self.low_seconds <= figure.value <= self.high_seconds


DELAYED_ACKNOWLEDGEMENT = Timer(
    "a delayed acknowledgement (40 ms)",
    0.0385,
    0.0455,
    "TCP_DELACK_MIN of Linux is 40 ms; RFC 1122, section 4.2.3.2, allows up to 500 ms",
    "Does the server write head and body apart, without TCP_NODELAY? How many answers took about 40 ms?",
)
TIMERS = (
    DELAYED_ACKNOWLEDGEMENT,
    Timer(
        "a retransmission (200 ms)",
        0.199,
        0.250,
        "the timeout of Linux is the smoothed round trip and at least TCP_RTO_MIN, 200 ms; RFC 6298, section 2, is "
        "the algorithm",
        "How many segments were sent again (nstat TcpRetransSegs), and which buffer or link dropped them?",
    ),
    Timer(
        "a connect that was sent again (1 s)",
        0.999,
        1.050,
        "a lost SYN is sent again after 1 s: RFC 6298, section 2.1",
        "Did the queue of the listener overflow (nstat TcpExtListenOverflows)? What is its backlog?",
    ),
    Timer(
        "a connect that was sent again (3 s)",
        2.999,
        3.150,
        "a SYN that is lost twice: 1 s and then 2 s, RFC 6298, sections 2.1 and 5.5; or once, with the 3 s of "
        "RFC 1122, section 4.2.3.1, as systems had it before 2011",
        "Did the queue of the listener overflow (nstat TcpExtListenOverflows)? What is its backlog?",
    ),
)


@contradiction_kind(
    "stalls",
    title="A maximum where a timer of TCP puts it",
    formula="a timer's time ≤ maximum, and maximum ≥ 20 × mean, in more runs than by chance, or at a percentile, too; "
    "or mean at 40 ms, and deviation ≤ 0.1 × mean",
    ask="How many answers took about this long, and what do the counters of TCP say?",
    times=Threshold(
        20.0,
        "times the mean",
        "times that are spread exponentially exceed twenty times their mean once in 480 million answers (exp(-20))",
    ),
    chance=Threshold(
        0.05,
        "share of the runs",
        "a busy machine has maxima anywhere: where their logarithms are spread evenly from 10 ms to 10 s, 1 to 4 "
        "in 100 lie at one of these timers",
    ),
    alpha=Threshold(
        0.001,
        "probability",
        "of so many maxima by that chance, by the binomial distribution: three of three runs, six of 24",
    ),
    narrow=Threshold(
        0.1,
        "share of the mean",
        "a timer puts all answers into a few milliseconds; the times of a queue scatter as much as their mean",
    ),
)
def stalls(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each timer where more runs have their maximum than chance puts there; and one for each run
    whose percentile lies there as well, or whose every time."""
    runs = [run for run in evidence.runs if run.of_requests and run.times.mean and run.times.maximum]
    for timer in TIMERS:
        long_runs = [run for run in runs if _has_long_maximum(kind, run, timer)]
        chance = binomial_probabilities(len(runs), kind.threshold("chance"))[len(long_runs) :].sum()
        if long_runs and chance < kind.threshold("alpha") and _differ(long_runs):
            yield _shared_maximum(kind, timer, long_runs, len(runs))
            continue
        for run in runs:
            says = _edge(run, timer) if run in long_runs else _only_the_timer(kind, run, timer)
            if says:
                yield kind.contradiction([run.name], says, {"timer": timer.source}, ask=timer.ask)


DIFFERENT_SPEED = 1.2


def _differ(runs: list[PrintedRun]) -> bool:
    """Whether their means do: runs of one server can have one maximum of its own."""
    means = [run.times.mean.value for run in runs if run.times.mean is not None]
    return max(means) >= DIFFERENT_SPEED * min(means)


def _has_long_maximum(kind: ContradictionKind, run: PrintedRun, timer: Timer) -> bool:
    mean, longest = run.times.mean, run.times.maximum
    assert mean is not None and longest is not None
    return timer.holds(longest) and mean.high * kind.threshold("times") <= longest.value


def _edge(run: PrintedRun, timer: Timer) -> str:
    """Where a percentile lies at the timer's time as well as the maximum: work has no such edge."""
    mean, longest, sample = run.times.mean, run.times.maximum, run.sample
    assert mean is not None and longest is not None
    for percent, figure in run.times.ordered():
        if timer.holds(figure) and sample is not None and supports_percentile(int(sample), percent):
            return (
                f"p{percent:g} is {time(figure.value)} and the maximum {time(longest.value)}, at a mean of "
                f"{time(mean.value)}: many answers took as long as {timer.name}, and none took longer."
            )
    return ""


def _only_the_timer(kind: ContradictionKind, run: PrintedRun, timer: Timer) -> str:
    """Where the mean lies at 40 ms, and hardly any time far from it. Servers wait for 200 ms and 1 s by themselves."""
    mean, deviation = run.times.mean, run.times.deviation
    assert mean is not None
    if (
        timer is not DELAYED_ACKNOWLEDGEMENT
        or deviation is None
        or not timer.holds(mean)
        or deviation.high > kind.threshold("narrow") * mean.value
    ):
        return ""
    return (
        f"The mean is {time(mean.value)} and hardly any time is far from it: nearly every answer takes as long as "
        f"{timer.name}. Unless the server waits so long by itself, a timer is measured."
    )


def _shared_maximum(
    kind: ContradictionKind, timer: Timer, runs: list[PrintedRun], number_of_runs: int
) -> Contradiction:
    longest = sorted(run.times.maximum.value for run in runs if run.times.maximum is not None)
    means = sorted(run.times.mean.value for run in runs if run.times.mean is not None)
    says = (
        f"{len(runs)} of {number_of_runs} runs have their longest answer between {time(longest[0])} and "
        f"{time(longest[-1])}, at means of {time(means[0])} to {time(means[-1])}: {names([run.name for run in runs])}. "
        f"Servers of different speed share no maximum: unless they wait so long by themselves, {timer.name} puts it "
        "there."
    )
    figures = {"longest": f"{time(longest[0])} to {time(longest[-1])}", "timer": timer.source}
    return kind.contradiction([run.name for run in runs], says, figures, ask=timer.ask)
