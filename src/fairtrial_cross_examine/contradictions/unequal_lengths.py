"""Contenders whose answers differ in length: they did not do the same work."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, names, printed_name
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun

Length = Callable[[PrintedRun], Figure | None]
MEASURES: Sequence[tuple[str, str, Length]] = (
    ("document", "bytes of a body", lambda run: run.document_bytes),
    ("with headers", "bytes of an answer with its headers", lambda run: run.answer_bytes),
    ("stored", "bytes that a request left behind", lambda run: run.stored_bytes),
)


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each path and measure whose shortest and longest differ by more than a tenth."""
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
                f"{grouped(longest.value)}: they did not do the same work."
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
    """Runs that asked for the same: those of one path, and those of which no path is known."""
    groups: dict[str | None, list[PrintedRun]] = defaultdict(list)
    for run in runs:
        groups[None if run.url is None else _path(run.url)].append(run)
    return list(groups.values())


def _path(url: str) -> str:
    try:
        return urlsplit(url).path or "/"
    except ValueError:  # an address that is none
        return url


KIND = ContradictionKind(
    name="unequal-lengths",
    title="Answers of different lengths",
    formula="longest ≤ 1.1 × shortest",
    thresholds={
        "share": Threshold(0.1, "share of the shortest", "as the check unequal-answers"),
        "headers_bytes": Threshold(
            1000.0,
            "bytes",
            "where only the traffic with its headers is printed: frameworks add some hundred bytes of them",
        ),
    },
    ask="What did each contender answer? Please show one whole answer of each.",
    examine=examine,
)
