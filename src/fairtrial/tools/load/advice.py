"""What an error, or a figure that cannot be trusted, asks for: in one plain sentence each."""

from collections.abc import Iterator

from fairtrial.base.formatting import count
from fairtrial.engine.plan import EnginePlan
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.plan.describe import seconds

GENERATOR_BUSY = 0.80
"""Share of a processor: the threshold of the check generator-saturated, docs/checks.md, where it is derived."""
KEPT_UP = 0.99
"""Below this share of what was offered, the figures are of a load that did not take place."""

REMEDIES = {
    "refused": "nobody took the connection: the server stopped, or its backlog is full",
    "reset": "the server cut the connection: look in its log for a crash or a limit",
    "closed": "the connection ended before the answer was complete: look in the server's log",
    "connect": "out of ports or open files, or no route: raise ulimit -n, keep connections, or lower -c",
    "tls": "the handshake failed: check certificate and versions; --cacert, --cert or --insecure may be needed",
    "protocol": "that was not HTTP/1.1: is this the port of an HTTP server?",
    "status_1xx": "an interim status where an answer was due: look in the server's log",
    "status_2xx": "a success, but not the one you expect: see --expect-status",
    "status_3xx": "redirects are not followed: aim at where it leads, or say --expect-status 3xx",
    "status_4xx": "check path, method and headers; if this is the right answer, say so with --expect-status",
    "status_5xx": "the server failed: look in its log, or lower the load",
    "wrong_length": "the body has another length than --expect-length or --expect-body says, or with ab than the first",
    "wrong_header": "the content type is another one than expected",
    "wrong_body": "the body is another one than --expect-body says",
}


def remedy(kind: str, plan: EnginePlan) -> str:
    """What to do about errors of this kind; empty for a kind that is new."""
    if kind == "timeout":
        return f"no answer within {seconds(plan.timeout_seconds)}: lower the load, or wait longer with --timeout"
    if kind == "overflow":
        return "too many requests were due and waited for a connection: lower -r, or raise -c"
    return REMEDIES.get(kind, "")


def warnings(measurement: Measurement) -> Iterator[str]:
    """What stands between these figures and the server's own: nothing, in a good run."""
    summary, plan = measurement.summary, measurement.plan
    share = summary.busiest_processor_share(len(plan.cpus))
    if share >= GENERATOR_BUSY:
        yield (
            f"the load generator used {share:.0%} of its busiest processor: these figures may be the "
            "generator's, not the server's. Give it more --threads on free processors, or the server less to do."
        )
    if summary.achieved_over_offered is not None and summary.achieved_over_offered < KEPT_UP:
        yield (
            f"only {summary.achieved_over_offered:.1%} of the offered requests were answered in the window: the server "
            f"(or {plan.load.connections:,} connections) cannot keep this rate, and response times grow as it lasts."
        )
    oldest, longest = summary.oldest_in_flight_seconds or 0.0, summary.response_time.max_seconds or 0.0
    if oldest > longest:
        yield (
            f"{count(summary.in_flight_at_end, 'request')} unanswered at the end, the oldest for {seconds(oldest)}: "
            "longer than any answer took, and in no percentile."
        )
    if summary.driver_fallback and plan.driver == "io_uring":
        yield f"io_uring was not used: {summary.driver_fallback}"
    if summary.interrupted:
        yield "interrupted: the figures are of the part that was measured"
