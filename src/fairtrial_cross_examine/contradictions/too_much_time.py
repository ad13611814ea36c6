"""Requests that together took longer than all clients had time for."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.caps import CAPS
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun

FEWEST_PIPELINED = 1.8
MOST_PIPELINED = 128
"""Times as long as there was time: two requests at a time, and more than anybody sends."""


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where requests × mean / connections, with all rounding in its favour, exceeds the seconds."""
    for run in evidence.runs:
        mean, timed = run.times.mean, run.timed
        if run.load != "closed" or run.connections is None or mean is None or timed is None:
            continue
        requests, seconds = timed
        least_seconds = requests.times(mean).over(float(run.connections))
        limit = 1 + kind.threshold("corrected" if run.tool == "wrk" else "tolerance")
        if least_seconds is None or least_seconds.low <= limit * seconds.high:
            continue
        says = (
            f"{grouped(requests.value)} requests of {time(mean.value)} each take {run.connections:,} clients "
            f"{time(least_seconds.value)}, but {'each second has' if run.seconds is None else 'the run lasted'} "
            f"{time(seconds.value)}: the mean is not that of these requests."
        )
        says += _cause(run, requests, seconds, least_seconds.value / max(seconds.value, 1e-9))
        if run.tool == "hey" and requests.value > CAPS["hey"].most:
            says += f" hey divides the sum of all times by the {CAPS['hey'].most:,} that it keeps."
        yield kind.contradiction(
            [run.name],
            says,
            {
                "requests": grouped(requests.value),
                "mean": time(mean.value),
                "connections": f"{run.connections:,}",
                "seconds": time(seconds.value),
                "time that it takes": time(least_seconds.value),
            },
        )


def _cause(run: PrintedRun, requests: Figure, seconds: Figure, times_as_long: float) -> str:
    """What can have made the mean so long: pipelining, which makes every time long, or wrk, which adds long ones."""
    median = run.times.percentiles.get("50")
    is_pipelined: bool | None = None
    if median is not None and run.connections is not None:
        is_pipelined = requests.value * median.value / run.connections > seconds.high
    says = ""
    if FEWEST_PIPELINED <= times_as_long <= MOST_PIPELINED and is_pipelined is not False:
        says = f" Pipelined, {times_as_long:.3g} at a time, they had the time: then each time is that of a whole batch."
    if run.tool == "wrk" and is_pipelined is not True:
        says += (
            f" {'Otherwise ' if says else ''}wrk adds latencies that no request had, for those that it supposes a "
            "stall held back: here most of the mean is made of them."
        )
    return says


KIND = ContradictionKind(
    name="too-much-time",
    title="More waiting than there was time",
    formula="requests × mean latency / connections ≤ seconds (J. D. C. Little, Operations Research 9 (1961), 383-387)",
    thresholds={
        "tolerance": Threshold(
            0.02,
            "share of the time",
            "beyond the rounding of the printed digits; the same room as the check littles-law",
        ),
        "corrected": Threshold(
            1.0,
            "share of the time",
            "of wrk, which corrects its latencies: times that are spread exponentially become 0.18 too long by it; "
            "from 1.0 on, at least half of the mean is not measured",
        ),
    },
    ask="Which requests is the mean of? How many were under way at the same time, and were they pipelined?",
    examine=examine,
)
