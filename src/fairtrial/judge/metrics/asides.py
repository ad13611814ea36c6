"""Figures that stand beside another as evidence of what changed with it. No claim is about them, and no table has
them."""

from collections.abc import Sequence

from fairtrial.judge.metrics.metric import Metric
from fairtrial.judge.metrics.readings import CPU_STEP_SECONDS
from fairtrial.judge.metrics.table import METRICS
from fairtrial.record.model import TrialRecord


def _kernel_share(trial: TrialRecord) -> float | None:
    meter = trial.server
    return None if meter is None or not meter.cpu_seconds else meter.cpu_system_seconds / meter.cpu_seconds


def _kernel_share_step(trial: TrialRecord) -> float:
    return 0.0 if trial.server is None else CPU_STEP_SECONDS / trial.server.cpu_seconds


def _statements_per_request(trial: TrialRecord) -> float | None:
    """From the begin of the warm-up on, as sessions hand in their counts late."""
    ledger = trial.ledger
    return None if ledger is None or not ledger.verified else ledger.done.get("statements", 0) / ledger.verified


def _answer_bytes(trial: TrialRecord) -> float | None:
    body = None if trial.engine is None else trial.engine.body_bytes
    return None if body is None else body.mean


BESIDE: Sequence[Metric] = (
    METRICS["server_cpu_per_1000_requests"],
    Metric(
        "server_kernel_share",
        "share",
        "the kernel's share of server CPU time",
        _kernel_share,
        of_processes=True,
        read_resolution=_kernel_share_step,
        meaning="what system calls take of the processor time of the stack's process tree",
    ),
    METRICS["service_cpu_per_1000_requests"],
    Metric(
        "statements_per_request",
        "share",
        "statements per request",
        _statements_per_request,
        meaning="all that the database counted for the stack, BEGIN and SET included, for each verified answer",
    ),
    Metric("answer_bytes", "bytes", "bytes of an answer", _answer_bytes, meaning="the mean length of a body"),
    METRICS["peak_rss"],
)
"""In the trials that are there anyway."""
