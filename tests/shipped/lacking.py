"""Which shipped stacks cannot be tried on this machine. With FAIRTRIAL_REQUIRE_SERVICES=1 all are tried, and fail."""

import os
from functools import cache

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.experiment.reference import StackRef
from fairtrial.tools.provision.inventory import pick_provided


@cache
def missing_program(contender: str) -> str | None:
    """What brings a program that the contender requires and this machine lacks; None if there is none."""
    if _all_required():
        return None
    reference = StackRef.model_validate(contender)
    stack = find_stacks()[reference.name]
    try:
        installed_versions(stack, stack.built_apart(reference.variant))
    except Problem as problem:
        return f"{problem.reason}: {problem.remedy}"
    return None


@cache
def missing_service(name: str) -> str | None:
    """What brings a service that this machine lacks; None if it is there."""
    missing = None if _all_required() else pick_provided(name).missing()
    return f"{missing.reason}: {missing.remedy}" if missing else None


def skip_if_lacking(contender: str) -> None:
    """Skip where a program is missing, naming what brings it."""
    if lacking := missing_program(contender):
        pytest.skip(lacking)


def _all_required() -> bool:
    return os.environ.get("FAIRTRIAL_REQUIRE_SERVICES") == "1"
