"""Clients that were at work for a small part of the time over which the requests are divided."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, rate, share, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where requests × mean / connections, with all rounding in its favour, is a small part of the seconds."""
    for run in evidence.runs:
        at_work = _at_work(run)
        if at_work is None or run.seconds is None or run.requests is None:
            continue
        if at_work.high >= kind.threshold("share") * run.seconds.low:
            continue
        says = (
            f"On average the clients were at work for {time(at_work.value)} of the {time(run.seconds.value)}, "
            f"{share(at_work.value / run.seconds.value)} of the time; in the rest they waited for no answer."
        )
        busy_rate = run.requests.over(at_work)
        if busy_rate is not None and run.rate_per_second is not None:
            says += (
                f" At work all the time, they would have made {rate(busy_rate.value)}; the printed "
                f"{rate(run.rate_per_second.value)} says nothing of the server."
            )
        if run.dead_clients:
            says += (
                f" Connects failed on {run.dead_clients:,} of {run.connections:,} connections, and {run.tool} does not "
                "try again: these clients were gone."
            )
        yield kind.contradiction([run.name], says, _figures(run, at_work))


def _at_work(run: PrintedRun) -> Figure | None:
    """For how long a client can have waited for answers: its requests times their mean.

    A request without an answer may have taken all of the time. A connect that failed at once takes none.
    """
    mean = run.times.mean
    if (
        run.load != "closed"
        or run.connections is None
        or run.timed_requests is None
        or mean is None
        or run.seconds is None
    ):
        return None
    if not run.of_requests or not run.timed_requests.value:
        return None
    hung = min(sum(run.unanswered.values()), run.connections)
    sum_of_times = run.timed_requests.times(mean).plus(run.seconds.times(float(hung)))
    return sum_of_times.over(float(run.connections))


def _figures(run: PrintedRun, at_work: Figure) -> dict[str, str]:
    assert run.timed_requests is not None and run.times.mean is not None and run.seconds is not None
    figures = {
        "requests": grouped(run.timed_requests.value),
        "mean": time(run.times.mean.value),
        "connections": f"{run.connections:,}",
        "seconds": time(run.seconds.value),
        "at work": time(at_work.value),
    }
    return figures | ({"failed connects": f"{run.dead_clients:,}"} if run.dead_clients else {})


KIND = ContradictionKind(
    name="clients-idle",
    title="Clients that were not at work",
    formula="seconds at work = requests × mean latency / connections (J. D. C. Little, Operations Research 9 (1961), "
    "383-387)",
    thresholds={
        "share": Threshold(
            0.25,
            "share of the time",
            "a closed client that opens a connection for each request, which most tools do not count as latency, "
            "still waits for answers for more than a third of its time (at least 37% in all 17 sound runs of one "
            "published log); a quarter leaves it room",
        ),
    },
    ask="What did the clients do in the rest of the time: did connections fail, did ports run out, did they pause? "
    "What is the rate of each second?",
    examine=examine,
)
