"""Remedies for errors, and warnings about figures that cannot be trusted."""

from collections.abc import Iterator

from fairtrial.judge.checks.errors import error_remedy
from fairtrial.judge.checks.generator import generator_remedy
from fairtrial.lab.trial.capacity import was_offered
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.protocol_causes import known_cause
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.request.connect import SKIP_CHECK

EXPECTATIONS = {
    "tls": "--cacert, --cert or --insecure may be needed",
    "status_grpc": "if this is the right answer, write expect.grpc.status into the file",
    "status": "if this is the right answer, give --expect-status, or `expect.status` in a workload file",
    "wrong_length": "see --expect-length and --expect-body",
    "wrong_body": "see --expect-body, or `expect` in a workload file",
}
"""By the kind of an error, or what it begins with: the options and keys that say which answer is right."""

OPTIONS = {
    "duration_seconds": "-d",
    "rate_per_second": "-r",
    "warmup_limit_seconds": "--warmup-limit",
    "warmup_seconds": "--warmup",
    "lowest_per_second": "the first rate of --between",
    "highest_per_second": "the second rate of --between",
    "timeout_seconds": "--timeout",
    "deadline_seconds": "--deadline",
    "keep_alive = false": "--no-keepalive",
}
"""For the keys of an experiment, which the remedies of checks name, the options of a load."""


def remedy(kind: str, summary: EngineSummary, host: str | None = None) -> str:
    """The remedy for errors of this kind, with the options that may help; empty for an unknown kind.

    Args:
        host: the Host of the requests; None: it is not known.
    """
    cause = known_cause(summary, kind)
    begins = next((each for each in EXPECTATIONS if kind.startswith(each)), "")
    hint = EXPECTATIONS.get(begins) if cause is None else None
    if cause is not None and cause.startswith("certificate_"):
        hint = SKIP_CHECK
    return "; ".join(filter(None, [_with_options(error_remedy(kind, summary, host)), hint]))


def warnings(measurement: Measurement) -> Iterator[str]:
    """Reasons not to take these figures for the server's own; none in a good run."""
    summary, plan = measurement.summary, measurement.plan
    findings = measurement.findings
    for finding in (each for each in findings if not each.asks_nothing):
        yield f"{finding.check}: {finding.evidence}; {_with_options(finding.remedy)}"
    if not was_offered(summary) and all(finding.check != "generator-late" for finding in findings):
        is_generators = bool(generator_remedy(summary, len(plan.cpus)))
        who = "the load generator" if is_generators else f"the server (or {plan.load.connections:,} connections)"
        yield (
            f"only {summary.achieved_over_offered:.1%} of the offered requests were answered in the window: {who} "
            "cannot keep up, so response times grow over time."
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
