"""A stack made ready for its trials: its requirements met, and built."""

from dataclasses import dataclass, replace
from pathlib import Path

from fairtrial.base.cache.once import CacheNotWritable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import recorded_environment
from fairtrial.catalog.stacks.kinds import assert_program, make_ready, stack_sha256
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.repository import state_of
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.catalog.stacks.requirements import installed_versions
from fairtrial.record.identity import StackIdentity
from fairtrial.record.model import Failure


@dataclass(frozen=True)
class ReadyStack:
    """A stack with the folder in which it is run, or the reason why it cannot be run."""

    identity: StackIdentity
    folder: Path | None
    failure: Failure | None


def ready_stack(request: BuildRequest) -> ReadyStack:
    """Check what the stack needs, and build it if that has not been done. What fails is in `failure`, not raised.

    Raises:
        CacheNotWritable: it is to be built, and no build can be kept.
        BuildCancelled: `cancelled` was set.
    """
    stack, built_apart = request.stack, request.built_apart
    content, versions, failure, program = stack_sha256(stack, built_apart), {}, None, None
    try:
        assert_program(stack)
        versions = installed_versions(stack, built_apart)
    except Problem as problem:
        failure = Failure.of("requirements", problem)
    else:
        try:
            program = make_ready(replace(request, versions=versions))
        except CacheNotWritable:
            raise
        except Problem as problem:
            failure = Failure.of("build", problem)
    checkout = stack.checkout(built_apart)
    is_elsewhere = stack.origin.kind in ("url", "image") or (checkout is not None and checkout.commit is not None)
    head, has_changes = (None, None) if is_elsewhere else state_of(stack.folder)
    identity = StackIdentity(
        name=stack.name,
        built_apart=built_apart,
        title=stack.title,
        language=stack.language,
        framework=stack.framework,
        licence=stack.licence,
        server=stack.server,
        concurrency=stack.concurrency,
        content_sha256=content if program is None else program.sha256 or content,
        origin=stack.origin.kind,
        counted_together=[] if program is None else list(program.services),
        commit=None if checkout is None else checkout.commit,
        head=head,
        has_changes=has_changes,
        versions=versions if program is None else {**versions, **program.versions},
        environment=_inherited(stack),
    )
    return ReadyStack(identity, None if program is None else program.folder, failure)


def _inherited(stack: Stack) -> dict[str, str | None]:
    """The variables that its processes inherit from the lab's environment: none where others start it, or in a
    container."""
    if stack.origin.is_started_here:
        return recorded_environment(stack.origin.env_from)
    return dict.fromkeys(sorted(stack.origin.env_from))
