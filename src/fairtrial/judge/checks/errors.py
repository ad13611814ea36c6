from collections.abc import Iterator, Mapping

from fairtrial.base.printable import printable
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.generator import generator_remedy
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.judge.metrics import LONGEST, kinds_in
from fairtrial.load.capacity import METRIC_PERCENTILES
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.protocol_causes import cause_remedy
from fairtrial.record.status_causes import CLASS_REMEDIES, statuses_remedy

WRONG = ("wrong_body", "wrong_length", "wrong_header", "wrong_coding")
"""Answers with the right status and the wrong content: counting them would compare unlike work."""

NOT_SHORTENED = ("timeout", "deadline", "connect", "refused")
"""Errors that keep no slow request from the percentiles: who was awaited is in them as a lower bound, and without a
connection nothing is asked. Who closes the connection instead of an answer is in none."""

TOO_LATE = ("timeout", "deadline", "overflow")
"""Errors for want of time, which may be the load engine's."""

REMEDIES = {
    "wrong_body": "the body is not the expected one: compare the excerpt with what is expected, in a dataset with "
    "the row of its id",
    "wrong_length": "the body is shorter or longer than any right answer: look at the excerpt for an error page, or "
    "for white space",
    "wrong_header": "send the content type that the workload asks for",
    "wrong_coding": "the body is not what its Content-Encoding says: send it whole, in one coding that the request's "
    "Accept-Encoding names, and say which",
    "refused": "nothing was listening any more, or the backlog overflowed: see the server's log, raise its "
    "backlog and somaxconn",
    "reset": "the server closed a connection with data unread: look for a crash, a worker restart or a full backlog",
    "closed": "the server closed a connection before its answer was complete: look for a crash, a worker's restart and "
    "a proxy's time-out",
    "unannounced_close": "connections ended between two answers without notice, as the next request came (RFC 9112, "
    "section 9.5), after which many clients ask again: have the server say `Connection: close` (over HTTP/2 GOAWAY), "
    "and raise its keep-alive limits: persistent_timeout and max_keep_alive (max_fast_inline up to 6) of Puma, "
    "--keep-alive and --max-requests of Gunicorn, --timeout-keep-alive (5 s) and --limit-max-requests of uvicorn, "
    "keepAliveTimeout and maxRequestsPerSocket of Node.js, "
    "keepalive_timeout and keepalive_requests of nginx; without such limits, look for a crash before the first byte",
    "timeout": "no answer in time: a lower load, a larger pool, or a longer timeout_seconds if this is the workload",
    "deadline": "requests were due for longer than deadline_seconds and were not sent: a lower rate, more connections, "
    "or a longer deadline_seconds if this is the workload",
    "overflow": "too many requests waited for a free connection: a lower rate, or more connections",
    "connect": "connections could not be opened: look at file descriptor limits and the range of local ports",
    "tls": "the handshake failed: check certificate and versions",
    "protocol": "that was not HTTP/1.1: look at the excerpt; is this the port of an HTTP server?",
}
"""By the kind of the error, for experiments and for `fairtrial load`, which names its options in place of keys."""


def error_remedy(kind: str, engine: EngineSummary, host: str | None = None) -> str:
    """The remedy for errors of this kind; empty for an unknown kind.

    Args:
        host: the Host of the requests; None: it is not known.
    """
    if kind in CLASS_REMEDIES:
        return statuses_remedy(kind, engine, host)
    if kind in TOO_LATE and (of_generator := generator_remedy(engine, processors=0)):
        return of_generator
    return cause_remedy(engine, kind, REMEDIES.get(kind, ""))


@check(
    "errors",
    looks_at="answers that failed an expectation and requests without an answer, as a share of all that ended",
    remedy="see the stack's log",
    share=Threshold(
        0.001,
        "share of requests",
        "errors are not counted as goodput, but a wrong answer's time is in the percentiles: up to 1 in 1,000, "
        "what is printed as p99 lies between the right answers' p98.9 and p99.1; above it the percentiles mix "
        "two kinds",
    ),
    wrong_share=Threshold(
        0.0,
        "share of requests",
        "content is sampled: one wrong body that was seen stands for others that were not, and a right program "
        "sends none",
    ),
    near=Threshold(
        0.05,
        "share of the answers that exceed a percentile",
        "of the slowest, so many may have been errors instead: p99 of lognormal times whose logarithm deviates by 1 is "
        "then up to 1.9% lower, that of exponential times 1.1%",
    ),
)
def errors(engine: EngineSummary, *, share: float, wrong_share: float, near: float) -> Iterator[Finding]:
    """Errors are not throughput, and wrong answers must not be mixed with right ones.

    A refusal above either limit, a warning for any error below them. The maximum is taken away, and each percentile
    that rests on few more answers than went wrong.
    """
    errors = {kind: count for kind, count in engine.errors.items() if count > 0}
    if not errors:
        return
    total = engine.verified + sum(errors.values())
    wrong = sum(count for kind, count in errors.items() if kind in WRONG)
    above = sum(errors.values()) / total > share or wrong / total > wrong_share
    commonest = max(errors, key=lambda kind: (kind in WRONG and wrong > 0, errors[kind]))
    yield finding(
        "refusal" if above else "warning",
        _evidence(engine, errors, total),
        error_remedy(commonest, engine),
    )
    if not above and (metrics := _metrics_beyond(engine, total, near)):
        yield finding("refusal", "the slowest requests may be among those that went wrong", metrics=metrics)


def _metrics_beyond(engine: EngineSummary, total: int, near: float) -> list[str]:
    """The maximum, and the percentiles of whose slower answers this share went wrong or more: these may have been the
    slowest.

    Empty where no request went wrong but those that are in the percentiles as long as somebody waited for them.
    """
    wrong = sum(count for kind, count in engine.errors.items() if kind not in NOT_SHORTENED)
    # Each of them may have broken a journey off, of which there are fewer than requests.
    fewest = min((each.completed + each.broken_off for each in engine.journeys), default=total)
    totals = {kind: fewest if kind == "journey_time" else total for kind in kinds_in(engine)}
    beyond = [
        f"{kind}_p{name}"
        for kind, ended in totals.items()
        for name in METRIC_PERCENTILES
        if near * (1 - float(name) / 100) * ended <= wrong
    ]
    longest = [name for name in LONGEST if name != "event_gap_max" or engine.event_streams is not None]
    return [*beyond, *longest] if wrong else []


def _evidence(summary: EngineSummary, errors: Mapping[str, int], total: int) -> str:
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(errors.items(), key=lambda item: -item[1]))
    count = sum(errors.values())
    text = f"{count:,} of {total:,} requests ({_percent(count / total)}) went wrong: {kinds}"
    if summary.examples:
        example = summary.examples[0]
        text += f"; for example {example.what}: “{printable(example.excerpt, 120)}”"
    return text


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.1 else f"{100 * share:.2g}%"
