"""Workload `fan-out`: in every request, one outbound call to an upstream that answers after a fixed delay."""

from collections.abc import Sequence

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.exact_json import compact, exact_request, exact_violation
from fairtrial.catalog.workloads.model import ServerWorkload, Work, no_tables
from fairtrial.engine.plan import Request

PATH = "/fan-out"
UPSTREAM_BYTES = 512
ANSWER = compact({"status": 200, "bytes": UPSTREAM_BYTES})


class Options(Strict):
    """`[options]` of fan-out."""

    delay_milliseconds: float = Field(50.0, ge=0, le=10_000)
    pool: int | None = Field(
        None, ge=1, le=60_000, description="connections of a process to the upstream; null: by the concurrency budget"
    )


def upstream(options: Options) -> Sequence[str]:
    """Arguments of the engine's target that serves as upstream."""
    return target_arguments(UPSTREAM_BYTES, options.delay_milliseconds)


def target_arguments(body_bytes: int, delay_milliseconds: float) -> Sequence[str]:
    """Arguments of an engine's target that answers with a body of this size after a constant delay."""
    delay = ["--delay", f"constant:{delay_milliseconds:g}ms"] if delay_milliseconds else []
    return ["--body-bytes", str(body_bytes), *delay]


def requests(_data: Data, _options: Options) -> list[Request]:
    """GET /fan-out."""
    return [exact_request("fan-out", PATH, ANSWER)]


def _passes_the_answer_on(stack: StackUnderTest) -> str | None:
    return exact_violation(stack, PATH, PATH, ANSWER)


def _waits(stack: StackUnderTest) -> str | None:
    seconds = min(ask(stack.client, "GET", PATH).seconds for _ in range(3))
    if seconds < stack.options.delay_milliseconds / 1e3:
        return f"answered after {seconds * 1e3:.1f} ms: the upstream was not called"
    return None


WORKLOAD = ServerWorkload(
    name="fan-out",
    title="an outbound call to a slow upstream",
    services=("none",),
    options=Options,
    data=no_tables,
    requests=requests,
    work=lambda _options: Work(calls=1.0),
    upstream=upstream,
    only_waits=lambda options: options.delay_milliseconds > 0,
    least_answer_seconds=lambda options: {"fan-out": options.delay_milliseconds / 1e3},
    environment=lambda options: {} if options.pool is None else {"UPSTREAM_POOL": str(options.pool)},
    clauses=(
        ClauseTest("fan-out", f"GET {PATH} answers the upstream's status and size: {ANSWER}", _passes_the_answer_on),
        ClauseTest("fan-out-waits", "no answer comes before the upstream's", _waits),
    ),
)
