"""Workload `call-batch`: a job for programs, calls to an HTTP server that answers after a delay.

It compares how runtimes wait: one call after the other, in threads, or in asynchronous tasks.
"""

import math
from collections.abc import Mapping, Sequence

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.workloads.fan_out import target_arguments
from fairtrial.catalog.workloads.model import ProgramWorkload, Work, no_tables

ANSWER_BYTES = 512


class Options(Strict):
    """`[options]` of call-batch."""

    calls: int = Field(1000, ge=1, le=1_000_000)
    delay_milliseconds: float = Field(50.0, ge=0, le=10_000)
    concurrency: int = Field(100, ge=1, le=10_000, description="the most calls that wait at once")


def upstream(options: Options) -> Sequence[str]:
    """Arguments of the engine's target, which also counts the calls: nothing else does."""
    return target_arguments(ANSWER_BYTES, options.delay_milliseconds)


def least_seconds(options: Options) -> float:
    """The delays one after the other, `concurrency` calls at a time: the server never answers sooner."""
    return math.ceil(options.calls / options.concurrency) * options.delay_milliseconds / 1e3


def environment(options: Options) -> Mapping[str, str]:
    """The job, as the variables of docs/stack-contract.md."""
    return {"CALLS": str(options.calls), "CONCURRENCY": str(options.concurrency)}


def options_under(options: Options, numbers: Mapping[str, int]) -> Options:
    """The options with the concurrency of these variables."""
    return options.model_copy(update={"concurrency": numbers.get("CONCURRENCY", options.concurrency)})


WORKLOAD = ProgramWorkload(
    name="call-batch",
    title="a batch of calls to a slow server, by a program",
    services=("none",),
    options=Options,
    data=no_tables,
    operations=lambda options: options.calls,
    work=lambda _options: Work(calls=1.0),
    least_seconds=least_seconds,
    options_under=options_under,
    only_waits=lambda options: options.delay_milliseconds > 0,
    upstream=upstream,
    environment=environment,
    check_options=[{"calls": 200}],  # a program that calls one after the other would take a minute for all
)
