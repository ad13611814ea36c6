"""A maximum far above the mean that lies where a timer of TCP puts it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from fairtrial.judge.checks.model import Threshold
from fairtrial.judge.statistics.support import supports_percentile
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import names, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


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


TIMERS = (
    Timer(
        "a delayed acknowledgement (40 ms)",
        0.0385,
        0.0455,
        "TCP_DELACK_MIN of Linux is 40 ms; RFC 1122, section 4.2.3.2, allows up to 500 ms",
        "Does the server write head and body apart, without TCP_NODELAY? How many answers took about 40 ms?",
    ),
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


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each timer where more runs have their maximum than chance puts there; and one for each run
    whose percentile lies there as well, or whose every time."""
    runs = [run for run in evidence.runs if run.of_requests and run.times.mean and run.times.maximum]
    for timer in TIMERS:
        long_runs = [run for run in runs if _has_long_maximum(kind, run, timer)]
        chance = _chance_of_as_many(len(long_runs), len(runs), kind.threshold("chance"))
        if long_runs and chance < kind.threshold("alpha"):
            yield _shared_maximum(kind, timer, long_runs, len(runs))
            continue
        for run in runs:
            says = _edge(run, timer) if run in long_runs else _only_the_timer(kind, run, timer)
            if says:
                yield kind.contradiction([run.name], says, {"timer": timer.source}, ask=timer.ask)


def _chance_of_as_many(number: int, runs: int, chance: float) -> float:
    """The probability of at least `number` of `runs`, each with this chance: the binomial distribution."""
    return sum(math.comb(runs, each) * chance**each * (1 - chance) ** (runs - each) for each in range(number, runs + 1))


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
    """Where the mean lies at the timer's time, and hardly any time far from it."""
    mean, deviation = run.times.mean, run.times.deviation
    assert mean is not None
    if deviation is None or not timer.holds(mean) or deviation.high > kind.threshold("narrow") * mean.value:
        return ""
    return (
        f"The mean is {time(mean.value)} and hardly any time is far from it: nearly every answer waits for "
        f"{timer.name}. It is a timer that is measured, not the server."
    )


def _shared_maximum(
    kind: ContradictionKind, timer: Timer, runs: list[PrintedRun], number_of_runs: int
) -> Contradiction:
    longest = sorted(run.times.maximum.value for run in runs if run.times.maximum is not None)
    means = sorted(run.times.mean.value for run in runs if run.times.mean is not None)
    says = (
        f"{len(runs)} of {number_of_runs} runs have their longest answer between {time(longest[0])} and "
        f"{time(longest[-1])}, at means of {time(means[0])} to {time(means[-1])}: {names([run.name for run in runs])}. "
        f"Servers of different speed share no maximum; {timer.name} puts it there."
    )
    figures = {"longest": f"{time(longest[0])} to {time(longest[-1])}", "timer": timer.source}
    return kind.contradiction([run.name for run in runs], says, figures, ask=timer.ask)


KIND = ContradictionKind(
    name="stalls",
    title="A maximum where a timer of TCP puts it",
    formula="a timer's time ≤ maximum, and maximum ≥ 20 × mean, in more runs than by chance, or at a percentile, too; "
    "or mean at the timer's time, and deviation ≤ 0.1 × mean",
    thresholds={
        "times": Threshold(
            20.0,
            "times the mean",
            "times that are spread exponentially exceed twenty times their mean once in 480 million answers (exp(-20))",
        ),
        "chance": Threshold(
            0.05,
            "share of the runs",
            "a busy machine has maxima anywhere: where their logarithms are spread evenly from 10 ms to 10 s, 1 to 4 "
            "in 100 lie at one of these timers",
        ),
        "alpha": Threshold(
            0.001,
            "probability",
            "of so many maxima by that chance, by the binomial distribution: three of three runs, six of 24",
        ),
        "narrow": Threshold(
            0.1,
            "share of the mean",
            "a timer puts all answers into a few milliseconds; the times of a queue scatter as much as their mean",
        ),
    },
    ask="How many answers took about this long, and what do the counters of TCP say?",
    examine=examine,
)
