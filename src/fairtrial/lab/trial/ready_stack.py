"""Stacks made ready for their trials: requirements met, built."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.build import build_stack, stack_sha256
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requirements import found_versions
from fairtrial.record.model import Failure, StackIdentity


@dataclass(frozen=True)
class ReadyStack:
    """A stack with the folder in which it is run, or the reason why it cannot be run."""

    identity: StackIdentity
    folder: Path | None
    failure: Failure | None


def ready_stack(stack: Stack, log: Path, on_building: Callable[[], None], build: int = 1) -> ReadyStack:
    """Check what the stack needs and build it if it is not built yet. A problem becomes `failure`; none is raised."""
    versions: dict[str, str] = {}
    folder, failure = None, None
    try:
        versions = found_versions(stack)
    except Problem as problem:
        failure = Failure(stage="requirements", reason=problem.reason, remedy=problem.remedy)
    else:
        try:
            folder = build_stack(stack, versions, log, on_building, build)
        except Problem as problem:
            failure = Failure(stage="build", reason=problem.reason, remedy=problem.remedy)
    identity = StackIdentity(
        name=stack.name,
        title=stack.title,
        language=stack.language,
        framework=stack.framework,
        server=stack.server,
        concurrency=stack.concurrency,
        content_sha256=stack_sha256(stack),
        versions=versions,
    )
    return ReadyStack(identity, folder, failure)
