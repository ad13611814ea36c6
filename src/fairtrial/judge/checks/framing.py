from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, finding
from fairtrial.record.engine_summary import EngineSummary


@check(
    "two-framings",
    looks_at="answers with a Content-Length beside a Transfer-Encoding (RFC 9112, sections 6.2 and 6.3)",
    remedy="have the stack leave out the Content-Length where it sends chunks: a recipient that goes by the other "
    "header finds another end of the answer, as in request smuggling, and RFC 9112, 6.3 has clients treat it as an "
    "error",
    of_loads=True,
)
def two_framings(engine: EngineSummary) -> Iterator[Finding]:
    """Answers that announce their length in two ways, of which each recipient may believe another.

    A note.
    """
    if engine.two_framings:
        yield finding(
            "note",
            f"{engine.two_framings:,} of {engine.answers:,} answers had a Content-Length beside a "
            "Transfer-Encoding, which no sender may send (RFC 9112, 6.2); the load engine went by the "
            "Transfer-Encoding, and used no connection again after such an answer",
        )


@check(
    "unasked-bytes",
    looks_at="bytes on connections that rest between two requests, but for a farewell with status 408 (RFC 9112, "
    "section 9.2: a response is associated with the request that it answers by its place alone); over HTTP/2, frames "
    "on streams that had ended (RFC 9113, section 5.1)",
    remedy="look for a handler that answers twice, or goes on writing after its answer",
    of_loads=True,
)
def unasked_bytes(engine: EngineSummary) -> Iterator[Finding]:
    """Bytes on connections on which nothing was asked: a server that answers more often than it is asked.

    A refusal.
    """
    if engine.unasked:
        yield finding(
            "refusal",
            f"{engine.unasked:,} connections or streams on which nothing was asked got bytes, beside "
            f"{engine.answers:,} answers: which answer belongs to which request is not known of such a server",
        )
