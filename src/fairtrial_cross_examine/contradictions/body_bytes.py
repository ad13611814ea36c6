"""Bytes of bodies that are not the number of answers times the length of one."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped
from fairtrial_cross_examine.model import PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
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


KIND = ContradictionKind(
    name="body-bytes",
    title="Bodies that the answers do not fill",
    formula="bytes of all bodies = answers × bytes of one body ≤ all bytes",
    thresholds={
        "share": Threshold(0.01, "share of the bytes", "beyond a body for each connection"),
    },
    ask="What was the body of each answer? How many were empty?",
    examine=examine,
)
