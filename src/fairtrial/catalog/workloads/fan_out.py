"""Workload `fan-out`: an outbound call to a slow upstream in every request, which answers after a fixed delay."""

import json
from collections.abc import Sequence

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import ExactBody, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

PATH = "/fan-out"
UPSTREAM_BYTES = 512
ANSWER = json.dumps({"status": 200, "bytes": UPSTREAM_BYTES}, separators=(",", ":"))


class Options(Strict):
    """`[options]` of fan-out."""

    delay_milliseconds: float = Field(50.0, ge=0, le=10_000)
    pool: int = Field(1024, ge=1, le=60_000, description="most connections to the upstream that a stack may hold")


def upstream(options: Options) -> Sequence[str]:
    """Arguments of the engine's target."""
    delay = ["--delay", f"constant:{options.delay_milliseconds:g}ms"] if options.delay_milliseconds else []
    return ["--body-bytes", str(UPSTREAM_BYTES), *delay]


def data(_dataset: DatasetOptions, _options: Options) -> Data:
    """Nothing."""
    return Data()


def requests(_data: Data, _options: Options) -> list[Request]:
    """GET /fan-out."""
    expect = Expectation(status=[200], content_type="application/json", body=ExactBody(text=ANSWER))
    return [Request(name="fan-out", path=PATH, expect=expect)]


def _calls(attempt: Attempt) -> str | None:
    answer = ask(attempt.client, "GET", PATH)
    fault = mismatch(PATH, answer)
    if fault is None and answer.body != ANSWER.encode():
        return f"the body is {answer.excerpt()}, not {ANSWER}"
    return fault


def _waits(attempt: Attempt) -> str | None:
    seconds = min(ask(attempt.client, "GET", PATH).seconds for _ in range(3))
    delay_seconds = attempt.options.delay_milliseconds / 1e3
    return f"answered after {seconds * 1e3:.1f} ms: nobody was asked" if seconds < delay_seconds else None


WORKLOAD = ServerWorkload(
    name="fan-out",
    title="an outbound call to a slow upstream",
    services=("none",),
    options=Options,
    data=data,
    requests=requests,
    upstream=upstream,
    environment=lambda options: {"UPSTREAM_POOL": str(options.pool)},
    clauses=(
        ClauseTest("fan-out", f"GET {PATH} answers what the upstream answered: {ANSWER}", _calls),
        ClauseTest("fan-out-waits", "no answer comes before the upstream's", _waits),
    ),
)
