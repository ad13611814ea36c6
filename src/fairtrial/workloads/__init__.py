"""Workloads: one file each. What is asked, of which data, and what must be true of the answers.

A module in this folder that defines `WORKLOAD` is a workload; nothing else has to know of it.
"""

import importlib
import pkgutil
from functools import cache

from fairtrial.problem import Problem
from fairtrial.workloads.model import Workload


@cache
def workloads() -> dict[str, Workload]:
    """All workloads by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        workload = getattr(importlib.import_module(f"{__name__}.{module.name}"), "WORKLOAD", None)
        if workload is not None:
            found[workload.name] = workload
    return found


def pick_workload(name: str) -> Workload:
    """The workload of this name.

    Raises:
        Problem: there is none.
    """
    if name not in workloads():
        raise Problem(f"workload: there is no {name!r}; there are: {', '.join(sorted(workloads()))}")
    return workloads()[name]
