"""Which shipped stacks cannot be tried on this machine. With FAIRTRIAL_REQUIRE_SERVICES=1 all are tried, and fail."""

from functools import cache

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.experiment.reference import StackRef
from tests.catalog.services.needed import all_required


@cache
def missing_program(contender: str) -> str | None:
    """What brings a program that the contender requires and this machine lacks; None if there is none."""
    if all_required():
        return None
    reference = StackRef.model_validate(contender)
    stack = find_stacks()[reference.name]
    try:
        installed_versions(stack, stack.built_apart(reference.variant))
    except Problem as problem:
        return f"{problem.reason}: {problem.remedy}"
    return None


def skip_if_lacking(contender: str) -> None:
    """Skip where a program is missing, naming what brings it."""
    if lacking := missing_program(contender):
        pytest.skip(lacking)
