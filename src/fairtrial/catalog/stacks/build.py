"""Building a stack: in a private copy of its folder, once for each content and toolchain."""

import platform
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from fairtrial.base.cache.digest import folder_sha256, source_files
from fairtrial.base.cache.once import made_once
from fairtrial.base.printable import log_tail, printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import stack_environment
from fairtrial.catalog.stacks.model import Stack
from fairtrial.engine.guard import Guarded

BUILD_WITHIN_SECONDS = 1800


def stack_sha256(stack: Stack) -> str:
    """The digest of a stack's source, manifest included, as hex."""
    return folder_sha256(stack.folder)


def build_stack(
    stack: Stack, versions: Mapping[str, str], log: Path, on_building: Callable[[], None], build: int = 1
) -> Path:
    """The folder to run the stack in. `on_building` is called if it has to be built; `log` takes the builders' output.

    Each `build`, counted from 1, is made apart from the others: whatever differs between builds of the same source
    (the layout of code, say) differs between them.

    Raises:
        Problem: a build command failed; the end of its output is in the reason.
    """

    def make(folder: Path) -> None:
        on_building()
        for source in source_files(stack.folder):
            target = folder / source.relative_to(stack.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        for command in stack.build:
            _build_step(stack.name, command, folder, log)

    further = [] if build == 1 else [f"build {build}"]
    made_from = folder_sha256(stack.folder, dict(versions), platform.machine(), *further)
    return made_once("stacks", stack.name, made_from, make)


def _build_step(name: str, command: list[str], folder: Path, log: Path) -> None:
    shown = printable(" ".join(command))
    with log.open("ab") as output:
        output.write(f"$ {shown}\n".encode())
        output.flush()
        with Guarded(command, folder=folder, environment=stack_environment(), output=output) as step:
            status = step.wait(BUILD_WITHIN_SECONDS)
    if status is None:
        raise Problem(
            f"`{shown}` was still running after {BUILD_WITHIN_SECONDS // 60} minutes",
            f"see {log} and mend {name}",
        )
    if status != 0:
        raise Problem(
            f"`{shown}` ended with status {status}:\n{log_tail(log)}", f"mend the stack; the whole output: {log}"
        )
