"""Where the files that a program finds at fixed places come from."""

import os.path
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.builder import has_builder
from fairtrial.catalog.stacks.model import Stack
from fairtrial.engine.guard import Places


def places_of(stack: Stack, built_apart: str | None, folder: Path) -> Places:
    """The files and host names that the program alone is to see.

    A source is relative to the folder in which the program is run. Of a stack that is built, this is the copy; what
    leads out of it (`../data`) is looked for from the stack's own folder, as everything is of a container.

    Args:
        built_apart: the variant whose source it is, if it has one of its own.
        folder: in which the program is run.

    Raises:
        Problem: there is no such file or folder; or the build by a user of its own made a link there that leads out.
    """
    return Places({path: _source(stack, built_apart, folder, path) for path in stack.origin.files}, stack.origin.hosts)


def _source(stack: Stack, built_apart: str | None, folder: Path, path: str) -> Path:
    name = stack.origin.files[path]
    local = Path(name).expanduser()
    leads_out = os.path.normpath(name).split(os.sep, 1)[0] == os.pardir
    is_own = stack.origin.in_container or (leads_out and stack.origin.kind == "folder")
    base = stack.source(built_apart) if is_own else folder
    source = base / local
    if not source.exists():
        raise Problem(
            f'files: "{path}": there is no {source}', "name a file or a folder, relative to the folder of the stack"
        )
    resolved = source.resolve()
    is_told = leads_out or local.is_absolute()
    if has_builder(stack) and not is_told and not resolved.is_relative_to(base.resolve()):
        raise Problem(f'files: "{path}": {source} is a link that leads out', "name the file or the folder itself")
    return resolved
