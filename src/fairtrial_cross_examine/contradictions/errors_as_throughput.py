"""Errors, time-outs and answers with a wrong status that count as requests per second."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.figures import exactly
from fairtrial_cross_examine.in_words import grouped, rate, share
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where failures are more than a thousandth of what the rate counts."""
    for run in evidence.runs:
        failures = {**run.failures, **(run.unanswered if run.unanswered_are_requests else {})}
        if _lengths_vary(run, kind.threshold("length")):
            del failures["length"]
        requests = run.requests
        if requests is None or requests.value <= 0 or not failures:
            continue
        # One answer can be of several kinds, so that at least the largest and at most all of them failed.
        most = min(sum(failures.values()), requests.value)
        least = most if _only_errors_have_bodies(run) else min(max(failures.values()), requests.value)
        if least <= kind.threshold("share") * requests.value:
            continue
        kinds = ", ".join(f"{number:,} {name}" for name, number in failures.items())
        says = f"{kinds} of {grouped(requests.value)} requests"
        printed = run.rate
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
    if not _begins_with_an_error(run) or run.requests is None:
        return ""
    errors, lengths = run.failures["non-2xx"], run.failures["length"]
    length = "" if run.document_bytes is None else f" of {grouped(run.document_bytes.value)} bytes"
    says = (
        f" {errors:,} and {lengths:,} are all {grouped(run.requests.value)}: the length{length} that ab compares with "
        "is then that of an error,"
    )
    if run.bodies_bytes is not None and _only_errors_have_bodies(run):
        return (
            f"{says} and {errors:,} of these are all {grouped(run.bodies_bytes.value)} bytes of bodies. The "
            f"{lengths:,} that it calls failed had not one byte: no request was answered."
        )
    return f"{says} and the {lengths:,} that it calls failed are the only answers that can be right."


def _lengths_vary(run: PrintedRun, share: float) -> bool:
    """Whether the answers that ab calls failed are on average about as long as the first: a page that changes."""
    bodies, document, lengths = run.bodies_bytes, run.document_bytes, run.failures.get("length", 0)
    if not lengths or "non-2xx" in run.failures or bodies is None or document is None or run.requests is None:
        return False
    of_others = (bodies.value - document.value * (run.requests.value - lengths)) / lengths
    return abs(of_others - document.value) <= share * document.value


def _begins_with_an_error(run: PrintedRun) -> bool:
    """Whether the answers of ab's wrong statuses and of its wrong lengths are together all requests."""
    errors, lengths = run.failures.get("non-2xx", 0), run.failures.get("length", 0)
    return run.tool == "ab" and bool(lengths) and run.requests == exactly(errors + lengths)


def _only_errors_have_bodies(run: PrintedRun) -> bool:
    """Whether the errors that ab's first answer is one of leave no byte for the answers of another length."""
    if not _begins_with_an_error(run) or run.document_bytes is None:
        return False
    of_errors = run.document_bytes.times(run.failures["non-2xx"])
    return run.bodies_bytes is not None and run.bodies_bytes.agrees_with(of_errors)


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
        "length": Threshold(
            0.1,
            "share of the length",
            "of ab's failures of length, as unequal-answers: within it the page changes",
        ),
    },
    ask="What was in the answers that failed, and what is the rate of the right ones alone?",
    examine=examine,
)
