"""A stack made ready for its trials: its requirements met, and built."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.build import build_stack, stack_sha256
from fairtrial.catalog.stacks.container_image import ready_image
from fairtrial.catalog.stacks.container_program import container_program
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.record.model import Failure, StackIdentity


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
    folder, failure, content = None, None, stack_sha256(stack, built_apart)
    try:
        if stack.in_container:
            container_program()
        versions = installed_versions(stack, built_apart)
    except Problem as problem:
        failure = Failure.of("requirements", problem)
    else:
        try:
            if stack.in_container:
                image = ready_image(stack, log, on_building, cancelled or Event())
                folder, content, versions = image.folder, image.sha256, versions | image.versions
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
        commit=None if checkout is None else checkout.commit,
        versions=versions,
    )
    return ReadyStack(identity, folder, failure)
