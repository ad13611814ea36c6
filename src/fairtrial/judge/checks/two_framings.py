"""Answers that announce their length in two ways, of which each recipient may believe another."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding, LoadCase, LoadCheck


def examine(case: LoadCase) -> Iterator[Finding]:
    """A note for each trial with an answer that had a Content-Length beside a Transfer-Encoding."""
    for trial in case.trials:
        summary = trial.engine
        if summary is not None and summary.two_framings:
            yield case.finding(
                trial.index,
                "note",
                f"{summary.two_framings:,} of {summary.answers:,} answers had a Content-Length beside a "
                "Transfer-Encoding, which no sender may send (RFC 9112, 6.2); the load engine went by the "
                "Transfer-Encoding, and used no connection again after such an answer",
            )


CHECK = LoadCheck(
    name="two-framings",
    looks_at="answers with a Content-Length beside a Transfer-Encoding (RFC 9112, sections 6.2 and 6.3)",
    thresholds={},
    remedy="have the stack leave out the Content-Length where it sends chunks: a recipient that goes by the other "
    "header finds another end of the answer, as in request smuggling, and RFC 9112, 6.3 has clients treat it as an "
    "error",
    examine=examine,
)
