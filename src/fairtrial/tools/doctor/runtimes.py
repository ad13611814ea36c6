"""Diagnoses of the engine's toolchain and of the runtimes that stacks require."""

import subprocess
from collections.abc import Iterator

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.engine.binary import PROGRAMS, damage_of_engine, engine_that_is_there
from fairtrial.engine.toolchain import toolchain_problem
from fairtrial.tools.doctor.model import Diagnosis

OF_STACK = "stack "
"""How the subject of a stack's diagnosis begins."""


def diagnose_engine() -> Diagnosis:
    """Whether the load engine runs, if it was installed or built, and whether it can be built."""
    try:
        engine = engine_that_is_there()
    except Problem as problem:
        return Diagnosis("load engine", "missing", problem.reason, problem.remedy, essential=True)
    if engine is not None and engine.parent == PROGRAMS:
        return Diagnosis("load engine", "good", "installed with Fairtrial; it runs")
    lacking = toolchain_problem()
    if lacking is not None:
        if engine is not None:
            return Diagnosis("load engine", "good", f"built; it could not be built again: {lacking.reason}")
        return Diagnosis("load engine", "missing", lacking.reason, lacking.remedy, essential=True)
    version = subprocess.run(["cargo", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    built = f"built with {version}"
    if damage := damage_of_engine():
        return Diagnosis(
            "load engine", "poor", f"damaged in the cache ({damage}): the next run builds it again; {built}"
        )
    return Diagnosis("load engine", "good", built)


def diagnose_stack(stack: Stack) -> Iterator[Diagnosis]:
    """Whether the stack's requirements are met, and those of each variant whose own build requires more."""
    more = [name for name, variant in sorted(stack.variants.items()) if variant.requires]
    for built_apart in (None, *more):
        subject = f"{OF_STACK}{stack.build_name(built_apart)}"
        try:
            versions = installed_versions(stack, built_apart)
        except Problem as problem:
            yield Diagnosis(subject, "missing", problem.reason, problem.remedy)
        else:
            yield Diagnosis(subject, "good", "; ".join(versions.values()))
