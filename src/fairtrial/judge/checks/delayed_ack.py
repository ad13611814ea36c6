from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.histogram import Histogram, read_histogram
from fairtrial.record.machine import NetworkMeter


@dataclass(frozen=True)
class _Timer:
    """A TCP timer, and the least and most (with ticks of up to 10 ms) that it adds to an answer's own time."""

    name: str
    low_seconds: float
    high_seconds: float
    clear_below_seconds: float
    clear_above_seconds: float
    counter: Callable[[NetworkMeter], int | None]
    """how often the kernel says that it expired"""
    remedy: str


TIMERS = (
    _Timer(
        "a delayed acknowledgement (40 ms: TCP_DELACK_MIN)",
        0.0385,
        0.0455,
        0.025,
        0.060,
        lambda network: network.delayed_acks,
        "write head and body at once (one write, writev, or a buffer), or set TCP_NODELAY on the accepted socket",
    ),
    _Timer(
        "the shortest retransmission timeout (200 ms: TCP_RTO_MIN)",
        0.199,
        0.215,
        0.120,
        0.300,
        lambda network: network.timeouts,
        "look for segments that are dropped: full socket buffers or backlogs; see retransmits",
    ),
)


@check(
    "delayed-ack",
    looks_at="the histogram of service time: answers at 40 ms or 200 ms, and how many lie just beside; the kernel's "
    "counters of delayed acknowledgements and timeouts",
    remedy="write head and body at once, or set TCP_NODELAY",
    of_loads=True,
    share=Threshold(
        0.001,
        "share of the answers",
        "below 1 in 1,000 the mode affects no percentile that is printed",
    ),
    answers=Threshold(
        20,
        "answers",
        "a histogram of fewer has gaps everywhere: of 20 times spread evenly over 25 to 60 ms, four fall into the band",
    ),
    below=Threshold(
        0.1,
        "share of the mode",
        "a timer makes an edge, with next to nothing in the 13 ms below it; times that are spread evenly over 25 "
        "to 60 ms have twice as many there as in the band",
    ),
    above=Threshold(
        0.5,
        "share of the mode",
        "the answer's own work comes on top of the timer and makes a tail; times that are spread evenly from 40 "
        "to 60 ms have twice as many above the band as in it",
    ),
)
def delayed_ack(
    engine: EngineSummary, network: NetworkMeter | None, *, share: float, answers: float, below: float, above: float
) -> Iterator[Finding]:
    """Answers that wait for a TCP timer: a second, narrow mode at 40 ms or 200 ms, which work never produces.

    A warning for each timer.
    """
    if not engine.service_time.hdr_base64:
        return
    times = read_histogram(engine.service_time.hdr_base64)
    for timer in TIMERS:
        inside = _between(times, timer.low_seconds, timer.high_seconds)
        if inside < max(answers, share * times.count):
            continue
        just_below = _between(times, timer.clear_below_seconds, timer.low_seconds)
        just_above = _between(times, timer.high_seconds, timer.clear_above_seconds)
        counted = None if network is None else timer.counter(network)
        if just_below > below * inside or just_above > above * inside:
            continue
        if counted is not None and counted < inside / 2:
            continue  # the timer did not expire so often
        evidence = (
            f"{inside:,} of {times.count:,} answers ({inside / times.count:.1%}) took "
            f"{1000 * timer.low_seconds:.0f} to {1000 * timer.high_seconds:.0f} ms, {just_below:,} a little less and "
            f"{just_above:,} a little more: the signature of {timer.name}"
        )
        if counted is not None:
            evidence += f"; the kernel counted {counted:,} of them in the window"
        yield finding("warning", evidence, timer.remedy)


def _between(times: Histogram, low_seconds: float, high_seconds: float) -> int:
    return times.count_up_to(high_seconds) - times.count_up_to(low_seconds)
