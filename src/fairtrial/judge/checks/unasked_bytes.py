"""Bytes on connections on which nothing was asked: a server that answers more often than it is asked."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Finding, LoadCase, LoadCheck


def examine(case: LoadCase) -> Iterator[Finding]:
    """A refusal of each trial in which a resting connection got bytes."""
    for trial in case.trials:
        summary = trial.engine
        if summary is not None and summary.unasked:
            yield case.finding(
                trial.index,
                "refusal",
                f"{summary.unasked:,} connections on which nothing was asked got bytes, beside {summary.answers:,} "
                "answers: which answer belongs to which request is not known of such a server",
            )


CHECK = LoadCheck(
    name="unasked-bytes",
    looks_at="bytes on connections that rest between two requests, but for a farewell with status 408 (RFC 9112, "
    "section 9.2: a response is associated with the request that it answers by its place alone)",
    thresholds={},
    remedy="look for a handler that answers twice, or goes on writing after its answer",
    examine=examine,
)
