"""Workloads, one file each: what stacks are asked to do, on which data, and what must be true of the result.

A module in this folder that defines `WORKLOAD` is a workload; no other file has to list it.
"""

from dataclasses import asdict
from functools import cache
from typing import Any

from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.base.registry import defined_in, pick
from fairtrial.base.strict import Strict
from fairtrial.catalog.workloads.model import ProgramWorkload, Workload
from fairtrial.record.model import ImpliedWork


@cache
def workloads() -> dict[str, Workload]:
    """All workloads by name."""
    return defined_in(__name__, __path__, "WORKLOAD")


def pick_workload(name: str) -> Workload:
    """The workload of this name.

    Raises:
        Problem: there is no such workload.
    """
    return pick("workload", name, workloads())


def options_of(workload: Workload, given: dict[str, Any]) -> Strict:
    """An experiment's `[options]`, validated by this workload's model.

    Raises:
        Problem: the workload has no such option, or a value does not fit.
    """
    try:
        return workload.options.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        known = ", ".join(workload.options.model_fields) or "none"
        raise Problem(
            f"[options] {key}: {first['msg']}",
            f"workload {workload.name} has these options: {known}; see docs/workloads.md",
        ) from error


def implied_work(workload: Workload, options: object) -> ImpliedWork:
    """The least work, and the least time, that a result of this workload implies under its options."""
    least_seconds = workload.least_seconds(options) if isinstance(workload, ProgramWorkload) else 0.0
    return ImpliedWork(per_answer=asdict(workload.work(options)), least_seconds=least_seconds)
