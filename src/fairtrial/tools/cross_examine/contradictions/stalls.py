"""A maximum far above the mean that lies where a timer of TCP puts it."""

from collections.abc import Iterator
from dataclasses import dataclass

from fairtrial.judge.checks.model import Threshold
from fairtrial.tools.cross_examine.contradictions.model import Contradiction, Kind
from fairtrial.tools.cross_examine.in_words import names, time
from fairtrial.tools.cross_examine.model import Evidence, PrintedRun


@dataclass(frozen=True)
class Timer:
    """A timer of TCP, where it puts an answer, and what it comes from."""

    name: str
    low_seconds: float
    high_seconds: float
    source: str
    ask: str


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


def examine(kind: Kind, evidence: Evidence) -> Iterator[Contradiction]:
    """One contradiction for each timer, with all runs whose maximum, or whose every time, lies there."""
    for timer in TIMERS:
        runs_with_a_stall = [run for run in evidence.runs if _has_a_stall(kind, run, timer)]
        usual = [run for run in evidence.runs if run not in runs_with_a_stall and _is_all_timer(kind, run, timer)]
        if runs_with_a_stall:
            yield _shared_stall(kind, timer, runs_with_a_stall, len(evidence.runs))
        for run in usual:
            mean = run.times.mean
            assert mean is not None
            says = (
                f"The mean is {time(mean.value)} and hardly any time is far from it: nearly every answer waits for "
                f"{timer.name}. It is a timer that is measured, not the server."
            )
            figures = {"mean": time(mean.value), "timer": timer.source}
            yield kind.contradiction([run.name], says, figures, ask=timer.ask)


def _has_a_stall(kind: Kind, run: PrintedRun, timer: Timer) -> bool:
    mean, longest = run.times.mean, run.times.maximum
    return (
        run.of_requests
        and mean is not None
        and longest is not None
        and timer.low_seconds <= longest.value <= timer.high_seconds
        and mean.high * kind.threshold("times") <= longest.value
    )


def _is_all_timer(kind: Kind, run: PrintedRun, timer: Timer) -> bool:
    mean, deviation = run.times.mean, run.times.deviation
    return (
        run.of_requests
        and mean is not None
        and deviation is not None
        and timer.low_seconds <= mean.value <= timer.high_seconds
        and deviation.high <= kind.threshold("narrow") * mean.value
    )


def _shared_stall(kind: Kind, timer: Timer, runs: list[PrintedRun], of: int) -> Contradiction:
    longest = sorted(run.times.maximum.value for run in runs if run.times.maximum is not None)
    means = sorted(run.times.mean.value for run in runs if run.times.mean is not None)
    if len(runs) == 1:
        says = (
            f"The longest answer took {time(longest[0])} at a mean of {time(means[0])}, "
            f"{longest[0] / max(means[0], 1e-9):,.0f} times as long. That is where {timer.name} puts it; once can be "
            "chance."
        )
    else:
        says = (
            f"{len(runs)} of {of} runs have their longest answer between {time(longest[0])} and {time(longest[-1])}, "
            f"at means of {time(means[0])} to {time(means[-1])}: {names([run.name for run in runs])}. Servers of "
            f"different speed share no maximum; {timer.name} puts it there."
        )
    figures = {"longest": f"{time(longest[0])} to {time(longest[-1])}", "timer": timer.source}
    return kind.contradiction([run.name for run in runs], says, figures, ask=timer.ask)


KIND = Kind(
    name="stalls",
    title="A maximum where a timer of TCP puts it",
    formula="a timer's time ≤ maximum, and maximum ≥ 20 × mean; or mean at the timer's time, and deviation ≤ 0.1 × "
    "mean",
    thresholds={
        "times": Threshold(
            20.0,
            "times the mean",
            "times that are spread exponentially exceed twenty times their mean once in 480 million answers (exp(-20))",
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
