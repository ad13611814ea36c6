"""A stated delay of the server that the printed rate implies to have been another."""

from collections.abc import Iterator, Sequence

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import rate, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
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


KIND = ContradictionKind(
    name="implied-delay",
    title="A delay that implies another delay",
    formula="delay = connections / rate - connections / rate at no delay",
    thresholds={
        "share": Threshold(0.1, "share of the delay", "what a busy machine adds to a sleep, generously"),
        "timer_seconds": Threshold(
            0.001,
            "seconds",
            "the granularity of an event loop's timers: epoll_wait takes whole milliseconds",
        ),
    },
    ask="How was the delay made, and what did the server itself measure of it? An event loop whose timer ticks every "
    "so often answers late.",
    examine=examine,
)
