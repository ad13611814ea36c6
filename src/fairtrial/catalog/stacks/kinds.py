"""A stack of whatever kind: made ready, and started. Each kind has a file of its own beside this one."""

import hashlib
import json

from fairtrial.base.cache.digest import folder_sha256
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks import command, compose, folder, image, url
from fairtrial.catalog.stacks.compose_program import compose_program
from fairtrial.catalog.stacks.container_program import container_program
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requests import BuildRequest, ReadyProgram, StartRequest
from fairtrial.catalog.stacks.run import RunningStack, start_process
from fairtrial.experiment.origins import CommandOrigin, ComposeOrigin, FolderOrigin, ImageOrigin, UrlOrigin


def assert_program(stack: Stack) -> None:
    """Find the command that runs the stack, where that is another than its own.

    Raises:
        Problem: there is none on this machine, it does not answer, or it does not run containers itself as it would
            have to.
    """
    match stack.origin:
        case ImageOrigin():
            program = container_program()
            if stack.origin.network is not None and not program.is_podman:
                raise Problem(
                    "network: docker's daemon runs containers in the machine's network, not in the run's own",
                    "leave `network` out, or use podman: FAIRTRIAL_CONTAINERS=podman",
                )
        case ComposeOrigin():
            compose_program(container_program())


def make_ready(request: BuildRequest) -> ReadyProgram:
    """Build, pull or find what a stack is started from.

    Raises:
        Problem: that failed.
        BuildCancelled: `cancelled` was set.
    """
    match request.stack.origin:
        case FolderOrigin():
            return folder.ready(request)
        case CommandOrigin() as origin:
            return command.ready(request, origin)
        case UrlOrigin():
            return url.ready(request)
        case ImageOrigin() as origin:
            return image.ready(request, origin)
        case ComposeOrigin() as origin:
            return compose.ready(request, origin)


def start_stack(request: StartRequest) -> RunningStack:
    """Start a stack, and return it once it is ready. `process.stop()` ends it. Errors are those of `start_process`.

    Raises:
        ValueError: it runs already: `find_running` finds it.
    """
    match request.stack.origin:
        case FolderOrigin() | CommandOrigin():
            return start_process(request)
        case ImageOrigin() as origin:
            return image.start(request, origin)
        case ComposeOrigin():
            return compose.start(request)
        case UrlOrigin():
            raise ValueError(f"{request.stack.name} runs already")


def stack_sha256(stack: Stack, built_apart: str | None = None) -> str:
    """The SHA-256 of a stack's source, manifest included, as hex.

    Of a program that is not built, it is that of the command, of the URL, or of the image's or file's name alone.

    Args:
        built_apart: the variant whose source it is, if it has one of its own.
    """
    if stack.origin.kind == "folder":
        return folder_sha256(stack.source(built_apart))
    names = stack.origin.model_dump(include={"url", "image", "dockerfile", "compose"}, exclude_none=True)
    named_by = next(iter(names.values()), stack.run)
    return hashlib.sha256(json.dumps([stack.origin.kind, named_by]).encode()).hexdigest()
