"""A time per request that is the whole time over the requests, although many were under way at the same time."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, rate, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
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


KIND = ContradictionKind(
    name="time-per-request",
    title="A time per request that nobody waited",
    formula="time per request = connections × seconds / requests",
    thresholds={
        "share": Threshold(
            0.01,
            "share of the time",
            "beyond the rounding of the printed digits; at two connections the two readings differ by 50%",
        ),
    },
    ask="How long did one request take, from sending it to the last byte of its answer, and what are its percentiles?",
    examine=examine,
)
