"""Printed requests, rates and seconds that refute each other, or a load that did not take place."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.caps import CAPS
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind, contradiction_kind
from fairtrial_cross_examine.in_words import grouped, rate, share, time
from fairtrial_cross_examine.model import (
    LONGEST_SHARE,
    SHORTEST_SHARE,
    STOPPING_SECONDS,
    Figure,
    PrintedOutput,
    PrintedRun,
)


@contradiction_kind(
    "rate",
    title="A rate that is not requests over seconds",
    formula="rate = requests / seconds",
    ask="Which of the three figures is the measured one, and where do the other two come from?",
    share=Threshold(
        0.001,
        "share of the rate",
        "beyond the rounding of the printed digits: tools stop their clock a moment before or after they count",
    ),
)
def rate_of_requests(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where the three figures exclude each other by more than their rounding."""
    for run in evidence.runs:
        seconds = run.rate_seconds or run.seconds
        if run.requests is None or seconds is None or run.rate_per_second is None:
            continue
        computed = run.requests.over(seconds)
        if computed is None or computed.agrees_with(run.rate_per_second, kind.threshold("share")):
            continue
        says = (
            f"{grouped(run.requests.value)} requests in {seconds.value:g} s are {rate(computed.value)}, but "
            f"{rate(run.rate_per_second.value)} is printed."
        )
        fitting = run.requests.over(run.rate_per_second)
        true_seconds = _without_leading_zeros(run, seconds, kind.threshold("share"))
        if true_seconds is not None:
            says += (
                f" With {true_seconds:.6f} s they agree: ab 2.0 prints seconds and microseconds without the zeros that "
                f"belong between them, so that {true_seconds:.6f} became {seconds.value:g}."
            )
        elif fitting is not None:
            says += f" The rate belongs to {time(fitting.value)}."
        yield kind.contradiction(
            [run.name],
            says,
            {
                "requests": grouped(run.requests.value),
                "seconds": f"{seconds.value:g} s",
                "requests / seconds": rate(computed.value),
                "printed rate": rate(run.rate_per_second.value),
            },
        )


def _without_leading_zeros(run: PrintedRun, seconds: Figure, share: float) -> float | None:
    """The seconds that ab 2.0 meant, where these fit the rate: it prints `%ld.%03ld` of seconds and microseconds."""
    if run.tool != "ab" or seconds.within <= 0 or run.requests is None or run.rate_per_second is None:
        return None
    whole_seconds = int(seconds.value)
    printed_digits = round((seconds.value - whole_seconds) / (2 * seconds.within))
    true_seconds = whole_seconds + printed_digits / 1e6
    computed = run.requests.over(true_seconds)
    fits = computed is not None and computed.agrees_with(run.rate_per_second, share)
    return true_seconds if fits and abs(true_seconds - seconds.value) > seconds.within else None


@contradiction_kind(
    "time-per-request",
    title="A time per request that nobody waited",
    formula="time per request = connections × seconds / requests",
    ask="How long did one request take, from sending it to the last byte of its answer, and what are its percentiles?",
    share=Threshold(
        0.01,
        "share of the time",
        "beyond the rounding of the printed digits; at two connections the two readings differ by 50%",
    ),
)
def time_per_request(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where the printed time is not what the clients waited, by requests, seconds and connections."""
    for run in evidence.runs:
        across = _across(run)
        if across is None or run.connections is None:
            continue
        waited = across.times(float(run.connections))
        share = kind.threshold("share")
        printed = run.time_per_request_seconds
        if printed is not None and not printed.agrees_with(waited, share):
            says = f"{time(printed.value)} is printed as the time per request."
            if printed.agrees_with(across, share):
                says += (
                    f" That is the whole time over the requests. {run.connections:,} were under way at the same time, "
                    f"so that each took {time(waited.value)}: {run.connections:,} times as long."
                )
            else:
                says += f" By requests, seconds and connections it is {time(waited.value)}."
            yield kind.contradiction([run.name], says, _figures(run, printed, waited, across))
        elif run.time_across_seconds is not None and not run.time_across_seconds.agrees_with(across, share):
            says = (
                f"{time(run.time_across_seconds.value)} is printed as the time across all concurrent requests, but "
                f"the whole time over the requests is {time(across.value)}."
            )
            yield kind.contradiction([run.name], says, _figures(run, run.time_across_seconds, waited, across))


def _across(run: PrintedRun) -> Figure | None:
    """The whole time over the requests, from the rate if that is what was printed."""
    if run.seconds is not None and run.requests is not None:
        return run.seconds.over(run.requests)
    return None if run.rate_per_second is None else Figure(value=1.0).over(run.rate_per_second)


def _figures(run: PrintedRun, printed: Figure, waited: Figure, across: Figure) -> dict[str, str]:
    figures = {"printed": time(printed.value), "connections": f"{run.connections:,}"}
    if run.requests is not None and run.seconds is not None:
        figures |= {"requests": grouped(run.requests.value), "seconds": f"{run.seconds.value:g} s"}
    elif run.rate_per_second is not None:
        figures["rate"] = rate(run.rate_per_second.value)
    return figures | {
        "seconds / requests": time(across.value),
        "connections × seconds / requests": time(waited.value),
    }


FEWEST_PIPELINED = 1.8
MOST_PIPELINED = 128
"""Times as long as there was time: two requests at a time, and more than anybody sends."""


@contradiction_kind(
    "too-much-time",
    title="More waiting than there was time",
    formula="requests × mean latency / connections ≤ seconds (J. D. C. Little, Operations Research 9 (1961), 383-387)",
    ask="Which requests is the mean of? How many were under way at the same time, and were they pipelined?",
    tolerance=Threshold(
        0.02,
        "share of the time",
        "beyond the rounding of the printed digits; the same room as the check littles-law",
    ),
    corrected=Threshold(
        1.0,
        "share of the time",
        "of wrk, which corrects its latencies: times that are spread exponentially become 0.18 too long by it; "
        "from 1.0 on, at least half of the mean is not measured",
    ),
)
def too_much_time(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
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
    """The cause of so long a mean: pipelining, which makes every time long, or wrk, which adds long ones."""
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


@contradiction_kind(
    "planned-time",
    title="A run of another length than planned",
    formula="0.9 × planned ≤ seconds ≤ 1.5 × planned, or 2 s more",
    ask="How long did the run last by another clock, and over which seconds is the rate?",
    shortest=Threshold(SHORTEST_SHARE, "share of the plan", "tools stop a moment early"),
    longest=Threshold(LONGEST_SHARE, "share of the plan", "a busy machine took 1.25"),
    stopping=Threshold(STOPPING_SECONDS, "seconds", "the time-out of wrk"),
)
def planned_time(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where the printed seconds are far from those that were planned."""
    for run in evidence.runs:
        lasted = run.rate_seconds or run.seconds
        if not run.took_another_time or run.planned_seconds is None or lasted is None:
            continue
        planned, took = time(run.planned_seconds.value), time(lasted.value)
        says = f"The run was to last {planned}, and {took} are printed."
        if lasted.value > run.planned_seconds.value:
            says += (
                " It did not stop when it was to: it waited for answers, or the clock was set. A rate over these "
                "seconds is not that of the load."
            )
        else:
            says += " It was ended early."
        yield kind.contradiction([run.name], says, {"planned": planned, "printed": took})


@contradiction_kind(
    "load-not-offered",
    title="A load that did not take place",
    formula="rate ≥ 0.99 × the rate that was to be",
    ask="Up to which rate does it keep up, and what are the latencies there?",
    share=Threshold(0.99, "share of the constant rate", "the last requests of a run are still under way"),
    dropped=Threshold(0.001, "share of the requests", "as errors: p99.9 is the highest that is commonly quoted"),
)
def load_not_offered(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where the rate is below the one that was asked for, or requests were dropped."""
    for run in evidence.runs:
        goal, reached = run.constant_rate_per_second, _reached(run)
        if run.dropped_requests and run.requests is not None:
            part = run.dropped_requests / (run.dropped_requests + run.requests.value)
            if part > kind.threshold("dropped"):
                says = (
                    f"{run.dropped_requests:,} requests were due and were never sent, {share(part)} of the load: those "
                    "that would have waited longest are in no figure."
                )
                figures = {"dropped": f"{run.dropped_requests:,}", "sent": grouped(run.requests.value)}
                yield kind.contradiction([run.name], says, figures)
        elif goal is not None and reached is not None and reached.high < kind.threshold("share") * goal.low:
            says = (
                f"{rate(goal.value)} was asked for and {rate(reached.value)} was reached, "
                f"{share(reached.value / goal.value)} of it: the load did not take place, and its latencies are those "
                "of a smaller one, or of a queue that grows as long as the run lasts."
            )
            yield kind.contradiction([run.name], says, {"asked": rate(goal.value), "reached": rate(reached.value)})


def _reached(run: PrintedRun) -> Figure | None:
    """The rate that was reached: a mean of samples, of which the last one was cut short, is lower."""
    printed, counted = run.rate_per_second, run.requests_per_second
    return counted if printed is not None and counted is not None and counted.high > printed.high else printed


@contradiction_kind(
    "clients-idle",
    title="Clients that were not at work",
    formula="requests × mean latency / connections ≥ 0.25 × (seconds - maximum) (J. D. C. Little, Operations Research "
    "9 (1961), 383-387)",
    ask="What did the clients do in the rest of the time: did connections fail, did ports run out, did they pause? "
    "What is the rate of each second?",
    share=Threshold(
        0.25,
        "share of the time",
        "a closed client that opens a connection for each request, which most tools do not count as latency, "
        "still waits for answers for more than a third of its time (at least 37% in all 17 sound runs of one "
        "published log); a quarter leaves it room",
    ),
)
def clients_idle(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where requests × mean / connections, with all rounding in its favour, is a small part of the seconds.

    Those after which no request was left to be sent are at most the longest time.
    """
    for run in evidence.runs:
        mean, timed = run.times.mean, run.timed
        if run.load != "closed" or not run.of_requests or run.connections is None or mean is None or timed is None:
            continue
        requests, seconds = timed
        if run.may_pause or run.took_another_time or _connects(run, requests):
            continue
        if "requests" in run.not_read or "rate" in run.not_read:
            continue  # of a report that was cut off, errors may be lost
        at_work = _at_work(run, requests.times(mean), seconds)
        if not requests.value or at_work is None or at_work.high >= kind.threshold("share") * _busy(run, seconds):
            continue
        hung = _hung(run)
        says = (
            f"{grouped(requests.value)} requests of {time(mean.value)} each"
            f"{f', and {hung:,} without an answer for all of the time,' if hung else ''} kept each of "
            f"{run.connections:,} clients at work for {time(at_work.value)} of "
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


FEWEST_REQUESTS = 10
"""Of a connection: of fewer, opening it, which is in no latency of most tools, is a part of the time that counts."""


def _connects(run: PrintedRun, requests: Figure) -> bool:
    """Whether opening connections may have taken most of the time: with TLS it may be for each request."""
    is_encrypted = (run.url or "").startswith("https://")
    is_few = run.seconds is not None and requests.value < FEWEST_REQUESTS * (run.connections or 1)
    return (is_encrypted or is_few) and not run.dead_clients


def _busy(run: PrintedRun, seconds: Figure) -> float:
    """Seconds in which all clients had a request under way: the last one of each may have been the longest."""
    longest = run.times.maximum
    return (run.rate_seconds or seconds).low - (0.0 if longest is None else longest.high)


def _at_work(run: PrintedRun, sum_of_times: Figure, seconds: Figure) -> Figure | None:
    """For how long a client can have waited for answers: its requests times their mean.

    A request without an answer may have taken all of the time. A connect that failed at once takes none.
    """
    assert run.connections is not None
    return sum_of_times.plus(seconds.times(float(_hung(run)))).over(float(run.connections))


def _hung(run: PrintedRun) -> int:
    return min(sum(run.unanswered.values()) + sum(run.unclear_failures.values()), run.connections or 0)
