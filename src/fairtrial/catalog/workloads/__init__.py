"""Workloads, one file each: what stacks are asked to do, on which data, and what must be true of the result.

A module in this folder that defines `WORKLOAD` is a workload; no other file has to list it.
"""

from collections.abc import Collection
from dataclasses import asdict
from functools import cache
from typing import Any

from pydantic import ValidationError

from fairtrial.base.fault_words import first_fault
from fairtrial.base.problem import Problem
from fairtrial.base.registry import defined_by_its_module, defined_in, pick
from fairtrial.base.strict import Strict
from fairtrial.catalog.workloads.model import Workload
from fairtrial.record.proof import ImpliedWork


@cache
def workloads() -> dict[str, Workload]:
    """All workloads by name."""
    return defined_in(__name__, __path__, "WORKLOAD")


def pick_workload(name: str) -> Workload:
    """The workload of this name.

    Raises:
        Problem: there is no such workload.
    """
    workload: Workload | None = defined_by_its_module(__name__, name, "WORKLOAD")
    return workload or pick("workload", name, workloads(), "name one of `fairtrial list workloads`")


def options_of(workload: Workload, values: dict[str, Any]) -> Strict:
    """An experiment's `[options]`, validated by this workload's model.

    Raises:
        Problem: the workload has no such option, or a value does not fit.
    """
    try:
        return workload.options.model_validate(values)
    except ValidationError as error:
        names = ", ".join(workload.options.model_fields) or "none"
        raise Problem(
            f"[options] {first_fault(error)}",
            f"workload {workload.name} has these options: {names}; see docs/workloads.md",
        ) from error


def implied_work(
    workload: Workload,
    options: object,
    *,
    requests: Collection[str] = (),
    round_trip_seconds: float = 0.0,
    mean_round_trip_seconds: float = 0.0,
) -> ImpliedWork:
    """The least work, and the least time, that a result of this workload implies under its options.

    Args:
        requests: the names of the requests that are sent.
        round_trip_seconds: what each round trip to the database takes, whichever: of a latency that is constant.
        mean_round_trip_seconds: of one that is drawn.
    """
    work = workload.work(options)
    each_asks = workload.kind == "server" and max(work.reads, work.writes) >= 1
    return ImpliedWork(
        per_answer=asdict(work),
        per_answer_in_tables=dict(workload.work_in_tables(options)),
        least_seconds=workload.least_seconds(options),
        least_answer_seconds=_least_answer_seconds(workload, options, requests, each_asks * round_trip_seconds),
        random_round_trip_seconds=each_asks * mean_round_trip_seconds,
        sleeping_seconds=dict(workload.sleeping_seconds(options)),
        per_request_in_tables={name: dict(kinds) for name, kinds in workload.work_by_request(options).items()},
    )


def _least_answer_seconds(
    workload: Workload, options: object, requests: Collection[str], round_trip_seconds: float
) -> dict[str, float]:
    """By request. Where each answer implies a statement of its own, it waits for one round trip at least."""
    waits = dict(workload.least_answer_seconds(options))
    if round_trip_seconds == 0:
        return waits
    return {name: waits.get(name, 0.0) + round_trip_seconds for name in {**waits, **dict.fromkeys(requests)}}
