"""Clients that were at work for a small part of the time over which the requests are divided."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, rate, share, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where requests × mean / connections, with all rounding in its favour, is a small part of the seconds."""
    for run in evidence.runs:
        mean, timed = run.times.mean, run.timed
        if run.load != "closed" or not run.of_requests or run.connections is None or mean is None or timed is None:
            continue
        if run.took_another_time or "requests" in run.not_read or "rate" in run.not_read:
            continue  # of a report that was cut off, errors may be lost
        requests, seconds = timed
        at_work = _at_work(run, requests.times(mean), seconds)
        if not requests.value or at_work is None or at_work.high >= kind.threshold("share") * seconds.low:
            continue
        says = (
            f"On average the clients were at work for {time(at_work.value)} of "
            f"{'each second' if run.seconds is None else f'the {time(seconds.value)}'}, "
            f"{share(at_work.value / seconds.value)} of the time; in the rest they waited for no answer that came."
        )
        busy_rate = (run.requests or requests).over(at_work)
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
        figures = {
            "requests": grouped(requests.value),
            "mean": time(mean.value),
            "connections": f"{run.connections:,}",
            "seconds": time(seconds.value),
            "at work": time(at_work.value),
            **({"failed connects": f"{run.dead_clients:,}"} if run.dead_clients else {}),
        }
        yield kind.contradiction([run.name], says, figures)


def _at_work(run: PrintedRun, sum_of_times: Figure, seconds: Figure) -> Figure | None:
    """For how long a client can have waited for answers: its requests times their mean.

    A request without an answer may have taken all of the time. A connect that failed at once takes none.
    """
    assert run.connections is not None
    hung = min(sum(run.unanswered.values()), run.connections)
    return sum_of_times.plus(seconds.times(float(hung))).over(float(run.connections))


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
