"""Workloads: one file each. What is asked, of which data, and what must be true of the answers.

A module in this folder that defines `WORKLOAD` is a workload; nothing else has to know of it.
"""

from functools import cache

from fairtrial.named import defined_in, pick
from fairtrial.workloads.model import Workload


@cache
def workloads() -> dict[str, Workload]:
    """All workloads by name."""
    return defined_in(__name__, __path__, "WORKLOAD")


def pick_workload(name: str) -> Workload:
    """The workload of this name.

    Raises:
        Problem: there is none.
    """
    return pick("workload", name, workloads())
