"""Errors, time-outs and answers with a wrong status that count as requests per second."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, rate, share
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where failures are more than a thousandth of what the rate counts."""
    for run in evidence.runs:
        failures = {**run.failures, **(run.unanswered if run.unanswered_are_requests else {})}
        requests = run.requests
        if requests is None or requests.value <= 0 or not failures:
            continue
        # One answer can be of several kinds, so that at least the largest and at most all of them failed.
        least, most = max(failures.values()), min(sum(failures.values()), requests.value)
        if least <= kind.threshold("share") * requests.value:
            continue
        kinds = ", ".join(f"{number:,} {name}" for name, number in failures.items())
        says = f"{kinds} of {grouped(requests.value)} requests"
        printed = run.rate_per_second or (None if run.seconds is None else requests.over(run.seconds))
        if printed is None:
            says += ": these are no throughput."
        else:
            says += f", and {rate(printed.value)} counts them all. {_goodput(printed, requests.value, least, most)}"
        figures = {
            "requests": grouped(requests.value),
            **{name: f"{number:,}" for name, number in failures.items()},
        }
        if printed is not None:
            figures |= {"printed rate": rate(printed.value)}
            figures |= {"goodput": _range(printed, requests.value, least, most)}
        yield kind.contradiction([run.name], says + _of_the_first(run), figures)


def _goodput(printed: Figure, requests: float, least: float, most: float) -> str:
    return f"Without them it is {_range(printed, requests, least, most)} ({share(1 - least / requests)} of it at most)."


def _range(printed: Figure, requests: float, least: float, most: float) -> str:
    """The rate of what can have succeeded: from all failures being different requests to all being the same ones."""
    highest = rate(printed.value * (1 - least / requests))
    lowest = rate(printed.value * max(1 - most / requests, 0.0))
    return highest if highest == lowest else f"{lowest} to {highest}"


def _of_the_first(run: PrintedRun) -> str:
    """ab compares lengths with the first answer. If that was an error, the others are those that `failed`."""
    errors, lengths = run.failures.get("non-2xx", 0), run.failures.get("length", 0)
    if run.tool != "ab" or not lengths or run.requests is None or errors + lengths != run.requests.value:
        return ""
    length = "" if run.document_bytes is None else f" of {grouped(run.document_bytes.value)} bytes"
    return (
        f" {errors:,} and {lengths:,} are all {grouped(run.requests.value)}: the length{length} that ab compares with "
        f"is then that of an error, and the {lengths:,} that it calls failed are the only answers that can be right."
    )


KIND = ContradictionKind(
    name="errors-as-throughput",
    title="Errors counted as throughput",
    formula="goodput = rate × (requests - failures) / requests",
    thresholds={
        "share": Threshold(
            0.001,
            "share of the requests",
            "as the check errors: below it, the third digit of the rate stays what it is",
        ),
    },
    ask="What was in the answers that failed, and what is the rate of the right ones alone?",
    examine=examine,
)
