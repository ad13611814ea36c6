"""A stack made ready for its trials: its requirements met, and built."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.build import build_stack, stack_sha256
from fairtrial.catalog.stacks.containers import assert_program, ready_containers
from fairtrial.catalog.stacks.environment import recorded_environment
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.record.identity import StackIdentity
from fairtrial.record.model import Failure


@dataclass(frozen=True)
class ReadyStack:
    """A stack with the folder in which it is run, or the reason why it cannot be run."""

    identity: StackIdentity
    folder: Path | None
    failure: Failure | None


def ready_stack(
    stack: Stack,
    log: Path,
    on_building: Callable[[], None],
    build: int = 1,
    *,
    built_apart: str | None = None,
    services: Collection[str] | None = None,
    cancelled: Event | None = None,
) -> ReadyStack:
    """Check what the stack needs, and build it if that has not been done. What fails is in `failure`, not raised.

    The arguments are those of `build_stack`.

    Raises:
        BuildCancelled: `cancelled` was set.
    """
    versions: dict[str, str] = {}
    together: list[str] = []
    folder, failure, content = None, None, stack_sha256(stack, built_apart)
    try:
        if stack.in_container:
            assert_program(stack)
        versions = installed_versions(stack, built_apart)
    except Problem as problem:
        failure = Failure.of("requirements", problem)
    else:
        try:
            if stack.in_container:
                image = ready_containers(stack, log, on_building, cancelled or Event())
                folder, content, versions = image.folder, image.sha256, versions | image.versions
                together = image.services
            else:
                folder = build_stack(
                    stack,
                    versions,
                    log,
                    on_building,
                    build,
                    built_apart=built_apart,
                    services=services,
                    cancelled=cancelled,
                )
        except Problem as problem:
            failure = Failure.of("build", problem)
    checkout = stack.checkout(built_apart)
    identity = StackIdentity(
        name=stack.name,
        built_apart=built_apart,
        title=stack.title,
        language=stack.language,
        framework=stack.framework,
        server=stack.server,
        concurrency=stack.concurrency,
        content_sha256=content,
        origin=stack.origin,
        counted_together=together,
        commit=None if checkout is None else checkout.commit,
        versions=versions,
        environment=_inherited(stack),
    )
    return ReadyStack(identity, folder, failure)


def _inherited(stack: Stack) -> dict[str, str | None]:
    """What its processes inherit from the lab's environment: nothing where others start it, or in a container."""
    if stack.url is not None or stack.in_container:
        return dict.fromkeys(sorted(stack.env_from))
    return recorded_environment(stack.env_from)
