"""What to do about errors, and warnings about figures that cannot be trusted."""

from collections.abc import Iterator

from fairtrial.engine.plan import EnginePlan
from fairtrial.load.words import describe_seconds
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.protocol_causes import protocol_remedy
from fairtrial.tools.load.measure import Measurement

KEPT_UP = 0.99
"""If a smaller share of the offered requests was answered, the load that was planned did not take place."""

REMEDIES = {
    "refused": "nothing accepted the connection: the server stopped, or its backlog is full",
    "reset": "the server cut the connection: look in its log for a crash or a limit",
    "closed": "the connection ended before the answer was complete: look in the server's log",
    "connect": "out of ports or open files, or no route: raise ulimit -n, keep connections open, or lower -c",
    "tls": "the handshake failed: check certificate and versions; --cacert, --cert or --insecure may be needed",
    "protocol": "that was not HTTP/1.1: is this the port of an HTTP server?",
    "status_1xx": "an interim status where an answer was due: look in the server's log",
    "status_2xx": "a success, but not the one you expect: see --expect-status",
    "status_3xx": "redirects are not followed: aim at their target, or give --expect-status 3xx",
    "status_4xx": "check path, method and headers; if this is the right answer, give --expect-status",
    "status_5xx": "the server failed: look in its log, or lower the load",
    "wrong_length": "the body is not as long as --expect-length or --expect-body says, or with ab as the first answer",
    "wrong_header": "the content type is not the one that the workload file expects",
    "wrong_body": "the body is not the expected one: --expect-body, or `expect` in the workload file",
}

OPTIONS = {
    "duration_seconds": "-d",
    "warmup_limit_seconds": "--warmup-limit",
    "warmup_seconds": "--warmup",
    "lowest_per_second": "the first rate of --between",
    "highest_per_second": "the second rate of --between",
    "keep_alive = false": "--no-keepalive",
}
"""For the keys of an experiment, which the remedies of checks name, the options of a load."""


def remedy(kind: str, plan: EnginePlan, summary: EngineSummary) -> str:
    """What to do about errors of this kind; empty for an unknown kind."""
    if kind == "protocol":
        return protocol_remedy(summary, REMEDIES[kind])
    if kind == "timeout":
        return f"no answer within {describe_seconds(plan.timeout_seconds)}: lower the load, or raise --timeout"
    if kind == "overflow":
        return "too many requests were waiting for a free connection: lower -r, or raise -c"
    if kind == "deadline":
        late = describe_seconds(plan.deadline_seconds or 0.0)
        return f"not sent, as it had been due for more than {late} (--deadline): lower -r, or raise -c"
    return REMEDIES.get(kind, "")


def warnings(measurement: Measurement) -> Iterator[str]:
    """Reasons not to take these figures for the server's own; none in a good run."""
    summary, plan = measurement.summary, measurement.plan
    findings = measurement.findings
    for finding in findings:
        yield f"{finding.check}: {finding.evidence}; {_with_options(finding.remedy)}"
    kept_up = summary.achieved_over_offered is None or summary.achieved_over_offered >= KEPT_UP
    if not kept_up and all(finding.check != "generator-late" for finding in findings):
        yield (
            f"only {summary.achieved_over_offered:.1%} of the offered requests were answered in the window: the server "
            f"(or {plan.load.connections:,} connections) cannot keep up, so response times grow over time."
        )
    if summary.driver_fallback and plan.driver == "io_uring":
        yield f"io_uring was not used: {summary.driver_fallback}"
    if summary.interrupted:
        yield "interrupted: the figures cover the part that was measured"


def _with_options(remedy: str) -> str:
    """A check's remedy with the options of a load in place of an experiment's keys."""
    for key, option in OPTIONS.items():
        remedy = remedy.replace(key, option)
    return remedy
