"""Which shipped stacks cannot be tried on this machine."""

import os
from functools import cache

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.experiment.reference import StackRef


@cache
def _lacking(contender: str) -> str | None:
    reference = StackRef.model_validate(contender)
    stack = find_stacks()[reference.name]
    try:
        installed_versions(stack, stack.built_apart(reference.variant))
    except Problem as problem:
        return f"{problem.reason}: {problem.remedy}"
    return None


def skip_if_lacking(contender: str) -> None:
    """Skip where a program is missing, naming what brings it; with FAIRTRIAL_REQUIRE_SERVICES=1 run, and fail."""
    if os.environ.get("FAIRTRIAL_REQUIRE_SERVICES") == "1":
        return
    if lacking := _lacking(contender):
        pytest.skip(lacking)
