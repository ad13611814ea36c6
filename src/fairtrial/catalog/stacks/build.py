"""Building a stack in a private copy of its folder, once for each content, toolchain and variant built apart."""

import hashlib
import json
import platform
import shutil
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from threading import Event

from fairtrial.base.cache.digest import folder_sha256, source_files
from fairtrial.base.cache.once import find_made, made_once
from fairtrial.base.locations import cache_folder
from fairtrial.base.printable import log_tail, printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import build_environment
from fairtrial.catalog.stacks.model import Command, Stack
from fairtrial.catalog.stacks.redaction import redaction_of
from fairtrial.engine.guard import Guarded

BUILD_WITHIN_SECONDS = 1800
LOOK_FOR_CANCELLATION_EVERY_SECONDS = 0.1
CARGO_FILES = "CARGO_BUILD_BUILD_DIR"
"""Where Cargo keeps what is between sources and programs (from 1.91 on; older ones ignore it). All builds of a stack
share it, as Go's builds share a cache of their own accord: after an edit, its dependencies are not compiled again."""
SERVICES = "{services}"
"""In a build command, stands for the services to build for, separated by commas."""


class BuildCancelled(Exception):
    """The build was ended from outside, and everything that it had started with it."""


def stack_sha256(stack: Stack, built_apart: str | None = None) -> str:
    """Return the SHA-256 of a stack's source, manifest included, as hex.

    Of a program that is not built, it is that of the command, of the URL, or of the image's or file's name alone.

    Args:
        built_apart: the variant whose source it is, if it has one of its own.
    """
    if stack.origin == "folder":
        return folder_sha256(stack.source(built_apart))
    started_by = [stack.origin, stack.url or stack.image or str(stack.dockerfile or stack.compose or "") or stack.run]
    return hashlib.sha256(json.dumps(started_by).encode()).hexdigest()


def build_stack(
    stack: Stack,
    versions: Mapping[str, str],
    log: Path,
    on_building: Callable[[], None],
    build: int = 1,
    *,
    built_apart: str | None = None,
    services: Collection[str] | None = None,
    cancelled: Event | None = None,
) -> Path:
    """Return the folder to run the stack in, and build it first if that has not been done.

    A program that is run where it lies is not built: it is run in its own directory.

    Args:
        versions: what the stack's requirements printed: another toolchain makes another build.
        log: takes the output of the build commands.
        on_building: called if the stack has to be built.
        build: a number, counted from 1. Each is built apart from the others: whatever differs between builds of the
            same source (the layout of code, say) differs between them.
        built_apart: the variant whose own build is made; None: the stack's build.
        services: the services that the stack will be run on; None for all that its manifest names. A stack whose build
            commands hold `{services}` is built for these alone; to others it makes no difference.
        cancelled: ends the build once it is set, from whatever thread.

    Raises:
        Problem: a build command failed; the end of its output is in the reason. Or there is no such directory.
        BuildCancelled: `cancelled` was set.
    """
    if stack.origin != "folder":
        return _directory(stack)
    cancelled = cancelled or Event()
    commands = _commands(stack, built_apart, services)

    def make(folder: Path) -> None:
        on_building()
        environment = {CARGO_FILES: str(cache_folder() / "cargo" / stack.name), **build_environment(stack.env_from)}
        origin = stack.source(built_apart)
        for source in source_files(origin):
            target = folder / source.relative_to(origin)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        for command in commands:
            run_build_command(
                stack.build_name(built_apart), command, folder, log, cancelled, environment, stack.env_from
            )

    def stop_if_cancelled() -> None:
        if cancelled.is_set():
            raise BuildCancelled

    made_from = _made_from_sha256(stack, versions, build, built_apart, services)
    return made_once("stacks", stack.name, made_from, make, while_waiting=stop_if_cancelled)


def whole_build(stack: Stack, versions: Mapping[str, str], built_apart: str | None = None) -> Path | None:
    """Return the folder of a build for all services of the stack, or None if there is none yet.

    The arguments are those of `build_stack`.
    """
    if stack.origin != "folder":
        return None
    return find_made("stacks", stack.name, _made_from_sha256(stack, versions, 1, built_apart, None))


def _directory(stack: Stack) -> Path:
    """Where a program that is not built is run."""
    folder = stack.folder if stack.directory is None else stack.folder / stack.directory
    if not folder.is_dir():
        raise Problem(f"directory: there is no folder {folder}", "name the folder in which the command is run")
    return folder.resolve()


def _commands(stack: Stack, built_apart: str | None, services: Collection[str] | None) -> list[Command]:
    names = ",".join(_service_names(stack, services))
    return [[word.replace(SERVICES, names) for word in command] for command in stack.build_commands(built_apart)]


def _service_names(stack: Stack, services: Collection[str] | None) -> list[str]:
    return [name for name in stack.services if services is None or name in services] or stack.services


def _made_from_sha256(
    stack: Stack,
    versions: Mapping[str, str],
    build: int,
    built_apart: str | None,
    services: Collection[str] | None,
) -> str:
    """The SHA-256 of all that decides what a build is, as hex."""
    checkout = stack.checkout(built_apart)
    names_services = any(SERVICES in word for command in stack.build_commands(built_apart) for word in command)
    apart = [
        *([] if build == 1 else [f"build {build}"]),
        *([{"services": _service_names(stack, services)}] if names_services else []),
        *([{"build": stack.build_commands(built_apart)}] if stack.in_experiment or checkout is not None else []),
        *([] if built_apart is None or checkout is not None else [{"variant": built_apart}]),
    ]
    return folder_sha256(stack.source(built_apart), dict(versions), platform.machine(), *apart)


def run_build_command(
    name: str,
    command: Command,
    folder: Path,
    log: Path,
    cancelled: Event,
    environment: Mapping[str, str],
    passed: Sequence[str] = (),
) -> None:
    """Run a command that makes something, with its output in the log, which then holds no secret that it was given.

    Args:
        environment: its variables. Passwords in URLs among them are hidden.
        passed: names of those whose values are hidden as a whole.

    Raises:
        Problem: it failed, or did not end in time.
        BuildCancelled: `cancelled` was set.
    """
    if cancelled.is_set():
        raise BuildCancelled
    command_line = printable(" ".join(command))
    redaction = redaction_of(environment, passed)
    with redaction.kept_log(log) as output:
        output.write(f"$ {command_line}\n".encode())
        output.flush()
        with Guarded(command, folder=folder, environment=environment, output=output) as step:
            deadline = time.monotonic() + BUILD_WITHIN_SECONDS
            while not step.ends_within(LOOK_FOR_CANCELLATION_EVERY_SECONDS):
                if cancelled.is_set():
                    raise BuildCancelled
                if time.monotonic() > deadline:
                    raise Problem(
                        f"`{command_line}` was still running after {BUILD_WITHIN_SECONDS // 60} minutes",
                        f"see {log} and mend {name}",
                    )
            status = step.status()
    if status != 0:
        raise Problem(
            f"`{command_line}` ended with status {status}:\n{log_tail(log, redaction.hidden)}",
            f"mend the stack; the whole output: {log}",
        )
