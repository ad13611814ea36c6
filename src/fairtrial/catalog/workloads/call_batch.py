"""Workload `call-batch`: a job for programs, calls to an HTTP server that answers after a delay.

What it compares is how a runtime waits: one call after the other, in threads, or in tasks of its own.
"""

import math
from collections.abc import Mapping, Sequence

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import Work, Workload
from fairtrial.experiment.model import DatasetOptions

ANSWER_BYTES = 512


class Options(Strict):
    """`[options]` of call-batch."""

    calls: int = Field(1000, ge=1, le=1_000_000)
    delay_milliseconds: float = Field(50.0, ge=0, le=10_000)
    concurrency: int = Field(100, ge=1, le=10_000, description="most calls that wait at once")


def upstream(options: Options) -> Sequence[str]:
    """Arguments of the engine's target. It is the only one who counts the calls."""
    delay = ["--delay", f"constant:{options.delay_milliseconds:g}ms"] if options.delay_milliseconds else []
    return ["--body-bytes", str(ANSWER_BYTES), *delay]


def data(_dataset: DatasetOptions, _options: Options) -> Data:
    """Nothing."""
    return Data()


def least_seconds(options: Options) -> float:
    """One delay after the other, `concurrency` calls at a time: the server answers no sooner."""
    return math.ceil(options.calls / options.concurrency) * options.delay_milliseconds / 1e3


def environment(options: Options) -> Mapping[str, str]:
    """The job, in the words of docs/stack-contract.md."""
    return {"CALLS": str(options.calls), "CONCURRENCY": str(options.concurrency)}


WORKLOAD = Workload(
    name="call-batch",
    title="a batch of calls to a slow server, by a program",
    services=("none",),
    options=Options,
    data=data,
    requests=lambda _data, _options: [],
    operations=lambda options: options.calls,
    work=lambda _options: Work(calls=1.0),
    least_seconds=least_seconds,
    upstream=upstream,
    environment=environment,
    clauses=(),
    tried_under=[{"calls": 200}],  # a program that calls one after the other would take a minute for all
)
