from collections.abc import Iterator

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, finding
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import EngineSummary


@check(
    "requests-retried",
    looks_at="requests over HTTP/2 that the server said it had not processed: on streams above the last one of a "
    "GOAWAY, or reset with REFUSED_STREAM (RFC 9113, sections 6.8 and 8.7)",
    remedy="have the stack keep connections open for longer (keepalive_requests of nginx), and refuse no stream that "
    "SETTINGS_MAX_CONCURRENT_STREAMS allows",
)
def requests_retried(engine: EngineSummary) -> Iterator[Finding]:
    """Requests that were asked again, as clients do, because the server had not processed them.

    A note: their times count from the intended start, and are in the figures.
    """
    if engine.retried:
        yield finding(
            "note",
            f"{engine.retried:,} times beside {engine.answers:,} answers, a request was asked again that the server "
            "said it had not processed (GOAWAY or REFUSED_STREAM); its response time has both tries",
        )


@check(
    "streams-not-allowed",
    looks_at="the streams of a connection that the server allows at once (SETTINGS_MAX_CONCURRENT_STREAMS; RFC 9113, "
    "section 5.1.2), compared with those of the load",
    remedy="have the stack allow more streams (http2_max_concurrent_streams of nginx), or offer fewer on more "
    "connections: streams in [load], --streams of fairtrial load",
    of_loads=True,
)
def streams_not_allowed(engine: EngineSummary, load: Load) -> Iterator[Finding]:
    """Requests that wait for a stream, because the server allows fewer at once than the load has.

    A warning: the load that the server gets is smaller than the one printed beside it. Response times have the wait,
    service times do not.
    """
    streams = engine.streams
    if streams is not None and streams.limits_load:
        yield finding(
            "warning",
            f"the server allows {streams.allowed:,} streams at once on a connection, where the load has "
            f"{streams.planned:,}: of {load.connections * streams.planned:,} requests at once it gets "
            f"{load.connections * (streams.allowed or 0):,}, the others wait, which response times have in them",
        )
