"""A contender that is a folder: it is built in a private copy, once for each content, toolchain and variant."""

import platform
import shutil
from pathlib import Path

from fairtrial.base.cache.digest import folder_sha256, source_files
from fairtrial.base.cache.once import find_made, made_once
from fairtrial.base.locations import cache_folder
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.build import BuildCancelled, run_build_command
from fairtrial.catalog.stacks.builder import builder_of, has_builder
from fairtrial.catalog.stacks.environment import build_environment
from fairtrial.catalog.stacks.redaction import new_log
from fairtrial.catalog.stacks.requests import BuildRequest, ReadyProgram

CARGO_FILES = "CARGO_BUILD_BUILD_DIR"
"""Where Cargo keeps what is between sources and programs (from 1.91 on; older ones ignore it). All builds of a stack
share it, as Go's builds share a cache of their own accord: after an edit, its dependencies are not compiled again."""
SERVICES = "{services}"
"""In a build command, stands for the services to build for, separated by commas."""


def ready(request: BuildRequest) -> ReadyProgram:
    """Build the stack if that has not been done.

    Raises:
        Problem: a build command failed; the end of its output is in the reason. Or a user of its own is to build what
            links to files elsewhere.
        BuildCancelled: `cancelled` was set.
    """
    stack, built_apart, cancelled = request.stack, request.built_apart, request.cancelled
    if has_builder(stack):
        _assert_no_link_out(stack.source(built_apart))
    names = ",".join(_service_names(request))
    commands = [[word.replace(SERVICES, names) for word in each] for each in stack.build_commands(built_apart)]

    def make(folder: Path) -> None:
        request.on_building()
        name, source = stack.build_name(built_apart), stack.source(built_apart)
        cargo_files = str(cache_folder() / "cargo" / stack.name)
        environment = {CARGO_FILES: cargo_files, **build_environment(stack.origin.env_from)}
        for file in source_files(source):
            target = folder / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)
        with builder_of(stack, folder, environment) as (user, variables):
            if user.recorded.reason:
                with new_log(request.log) as log:
                    log.write(f"# built as the lab's user: {user.recorded.reason}\n".encode())
            for command in commands:
                run_build_command(request, name, command, folder, variables, user)

    def stop_if_cancelled() -> None:
        if cancelled.is_set():
            raise BuildCancelled

    made_from = _made_from_sha256(request)
    return ReadyProgram(made_once("stacks", stack.name, made_from, make, while_waiting=stop_if_cancelled))


def find_build(request: BuildRequest) -> Path | None:
    """The folder of such a build; None if there is none yet, or the stack is not built."""
    if request.stack.origin.kind != "folder":
        return None
    return find_made("stacks", request.stack.name, _made_from_sha256(request))


def _assert_no_link_out(source: Path) -> None:
    """Refuse a file that is a link to one elsewhere: the builder may not read that, and its copy would be its own."""
    for file in source_files(source):
        if not file.resolve().is_relative_to(source.resolve()):
            raise Problem(f"{file}: a link that leads out of the source", "put the file itself there")


def _service_names(request: BuildRequest) -> list[str]:
    names = request.stack.services
    return [name for name in names if request.services is None or name in request.services] or names


def _made_from_sha256(request: BuildRequest) -> str:
    """The SHA-256 of all that decides what a build is, as hex."""
    stack, built_apart = request.stack, request.built_apart
    checkout, commands = stack.checkout(built_apart), stack.build_commands(built_apart)
    names_services = any(SERVICES in word for command in commands for word in command)
    apart = [
        *([] if request.number == 1 else [f"build {request.number}"]),
        *([{"services": _service_names(request)}] if names_services else []),
        *([{"build": commands}] if stack.in_experiment or checkout is not None else []),
        *([] if built_apart is None or checkout is not None else [{"variant": built_apart}]),
        *([{"builder": "own"}] if has_builder(stack) else []),
    ]
    return folder_sha256(stack.source(built_apart), dict(request.versions), platform.machine(), *apart)
