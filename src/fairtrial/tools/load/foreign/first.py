"""The first answer, by whose length ab judges all others."""

from typing import Any

from fairtrial.engine.plan import BodyRange, Closed, EnginePlan, StopAfterRequests
from fairtrial.engine.run import run_engine

REPEATABLE = ("GET", "HEAD", "OPTIONS")
"""Methods by which one request more changes nothing (RFC 9110, 9.2.1)."""


def first_length(plan: EnginePlan) -> int | None:
    """Ask once before the load. None if the method forbids that, or the answer is incomplete or no success.

    ab would judge by an error page, too; then the right answers would be the failed ones.

    Raises:
        Problem: the engine refused the plan or ended without a summary.
    """
    if any(request.method not in REPEATABLE for request in plan.requests):
        return None
    once = {"load": Closed(connections=1), "stop": StopAfterRequests(requests=1), "threads": 1, "pipeline": 1}
    summary = run_engine(plan.model_copy(update=once), _nothing)
    return summary.body_bytes.min if summary.verified and summary.body_bytes else None


def expecting_length(plan: EnginePlan, length: int) -> EnginePlan:
    """The same load, of whose answers every one must have this length."""
    expected = {"body_bytes": BodyRange(min=length, max=length)}
    requests = [
        request.model_copy(update={"expect": request.expect.model_copy(update=expected)}) for request in plan.requests
    ]
    return plan.model_copy(update={"requests": requests})


def _nothing(_event: dict[str, Any]) -> None:
    pass
