"""Printed answers that are no successes, are in no time, or have other lengths than they should."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import SplitResult, urlsplit

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind, contradiction_kind
from fairtrial_cross_examine.figures import exactly
from fairtrial_cross_examine.in_words import grouped, names, printed_name, rate, share, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


@contradiction_kind(
    "errors-as-throughput",
    title="Errors counted as throughput",
    formula="goodput = rate × (requests - failures) / requests",
    ask="What was in the answers that failed, and what is the rate of the right ones alone?",
    share=Threshold(
        0.001,
        "share of the requests",
        "as the check errors: below it, the third digit of the rate stays what it is",
    ),
    length=Threshold(
        0.1,
        "share of the length",
        "of ab's failures of length, as unequal-answers: within it the page changes",
    ),
)
def errors_as_throughput(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
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


@contradiction_kind(
    "lost-requests",
    title="Requests that are in no time",
    formula="highest known percentile = 100 × answered / (answered + unanswered)",
    ask="How long did the requests wait that had no answer, and what are the percentiles with them?",
    share=Threshold(0.001, "share of the requests", "p99.9 is the highest percentile that is commonly quoted"),
)
def lost_requests(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where more than a thousandth of the requests had no answer, and times are printed."""
    for run in evidence.runs:
        failures, answered = sum(run.unanswered.values()), run.timed_requests
        if not failures or answered is None or not _has_times(run):
            continue
        part = failures / (failures + answered.value)
        if part <= kind.threshold("share"):
            continue
        kinds = ", ".join(f"{number:,} {name}" for name, number in run.unanswered.items())
        says = (
            f"{kinds}: {share(part)} of all requests are not among the times. What is printed is the mean "
            f"and the percentiles of the survivors; of all requests, nothing above p{100 * (1 - part):.4g} is known"
        )
        hidden = [(percent, figure) for percent, figure in run.times.ordered() if percent > 100 * (1 - part)]
        if hidden:
            says += f", so that p{hidden[0][0]:g} is not {time(hidden[0][1].value)}"
        yield kind.contradiction(
            [run.name],
            f"{says}.",
            {
                "answered": grouped(answered.value),
                **{name: f"{number:,}" for name, number in run.unanswered.items()},
            },
        )


def _has_times(run: PrintedRun) -> bool:
    return run.times.mean is not None or bool(run.times.percentiles)


@contradiction_kind(
    "body-bytes",
    title="Bodies that the answers do not fill",
    formula="bytes of all bodies = answers × bytes of one body ≤ all bytes",
    ask="What was the body of each answer? How many were empty?",
    share=Threshold(0.01, "share of the bytes", "beyond a body for each connection"),
)
def body_bytes(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where all bodies are more or less than one body for each answer, or more than all bytes that came."""
    for run in evidence.runs:
        bodies, document, answers = run.bodies_bytes, run.document_bytes, run.timed_requests
        if bodies is None:
            continue
        if run.all_bytes is not None and bodies.low > run.all_bytes.high:
            says = (
                f"{grouped(bodies.value)} bytes of bodies are more than the {grouped(run.all_bytes.value)} bytes that "
                "came, with headers."
            )
            figures = {"bodies": grouped(bodies.value), "all bytes": grouped(run.all_bytes.value)}
            yield kind.contradiction([run.name], says, figures)
        elif document is not None and answers is not None and answers.value and not _has_other_lengths(run):
            expected = document.times(answers)
            # Of requests that the end of a run broke off, a part of the body may have come.
            room = document.high * (run.connections or 1)
            if abs(bodies.value - expected.value) <= expected.within + room + kind.threshold("share") * expected.value:
                continue
            says = (
                f"{grouped(answers.value)} answers of {grouped(document.value)} bytes are {grouped(expected.value)} "
                f"bytes of bodies, but {grouped(bodies.value)} are printed: not every answer had this body."
            )
            figures = {
                "answers": grouped(answers.value),
                "bytes of a body": grouped(document.value),
                "bytes of all bodies": grouped(bodies.value),
            }
            yield kind.contradiction([run.name], says, figures)


def _has_other_lengths(run: PrintedRun) -> bool:
    """Whether answers are printed that have no body, or one of another length than the first."""
    return bool(run.unanswered) or any(kind in run.failures for kind in ("length", "failed", "receive", "exceptions"))


Length = Callable[[PrintedRun], Figure | None]
MEASURES: Sequence[tuple[str, str, Length]] = (
    ("document", "bytes of a body", lambda run: run.document_bytes),
    ("with headers", "bytes of an answer with its headers", lambda run: run.answer_bytes),
    ("stored", "bytes that a request left behind", lambda run: run.stored_bytes),
)


@contradiction_kind(
    "unequal-lengths",
    title="Answers of different lengths",
    formula="longest ≤ 1.1 × shortest",
    ask="What did each contender answer? Please show one whole answer of each.",
    share=Threshold(0.1, "share of the shortest", "as the check unequal-answers"),
    headers_bytes=Threshold(
        1000.0,
        "bytes",
        "where only the traffic with its headers is printed: frameworks add some hundred bytes of them",
    ),
)
def unequal_lengths(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each path and measure whose shortest and longest differ by more than a tenth.

    Contenders whose answers differ in length did not do the same work.
    """
    for measure, words, length in MEASURES:
        headers = kind.threshold("headers_bytes") if measure == "with headers" else 0.0
        for runs in _by_path(evidence.runs):
            lengths = sorted(
                ((figure, run) for run in runs if (figure := length(run)) is not None), key=lambda pair: pair[0].value
            )
            if len(lengths) < 2:
                continue
            (shortest, short), (longest, long) = lengths[0], lengths[-1]
            if longest.low <= (1 + kind.threshold("share")) * shortest.high + headers:
                continue
            says = (
                f"{printed_name(short.name)} has {grouped(shortest.value)} {words}, {printed_name(long.name)} has "
                f"{grouped(longest.value)}: {'' if short.url or long.stored_bytes else 'if they asked for the same, '}"
                "they did not do the same work."
            )
            suspects = [run for _, run in lengths if run.failures.get("non-2xx")]
            if suspects:
                says += f" The length of {names([run.name for run in suspects])} can be that of an error page."
            yield kind.contradiction(
                [run.name for _, run in lengths],
                says,
                {run.name: f"{grouped(figure.value)} bytes" for figure, run in lengths},
            )


def _by_path(runs: Sequence[PrintedRun]) -> list[list[PrintedRun]]:
    """Runs that asked for the same: those of one path, and those of which no path is known.

    Of one server, another query asks for another thing; contenders may have queries of their own.
    """
    servers: dict[str, set[str]] = defaultdict(set)
    for address in (_split(run.url) for run in runs if run.url):
        servers[address.path].add(address.netloc)
    groups: dict[object, list[PrintedRun]] = defaultdict(list)
    for run in runs:
        address = _split(run.url or "")
        is_one_server = len(servers[address.path]) == 1
        groups[run.url and (address.path, address.query if is_one_server else "")].append(run)
    return list(groups.values())


def _split(url: str) -> SplitResult:
    try:
        address = urlsplit(url)
    except ValueError:  # an address that is none
        return SplitResult("", "", url, "", "")
    return address._replace(path=address.path or "/")
