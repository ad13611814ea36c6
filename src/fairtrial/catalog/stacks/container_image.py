"""The image of a contender: pulled or built before the first trial, and known by its digest."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from fairtrial.base.cache.once import made_once
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.build import run_build_command
from fairtrial.catalog.stacks.container_program import (
    OPTIONS,
    ContainerProgram,
    container_program,
    further_options,
)
from fairtrial.catalog.stacks.environment import users_environment
from fairtrial.catalog.stacks.model import Stack

ID_FILE = "image"
DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


@dataclass(frozen=True)
class ReadyImage:
    """An image, or those of a project, on this machine."""

    folder: Path
    """in the cache; its file `image` holds the digest, by which the container is run whatever its name means later; of
    a project, `project.json` does"""
    sha256: str
    versions: dict[str, str]
    """the container program's line, the image's digest, and further options that every container gets"""
    services: list[str] = field(default_factory=list)
    """of a project, the one that answers first"""


def ready_image(stack: Stack, log: Path, on_building: Callable[[], None], cancelled: Event) -> ReadyImage:
    """Pull the image if it is not there, or build it, and return its digest. Containers of dead labs are removed.

    Args:
        log: takes what the container program prints.
        on_building: called if there is something to pull or build.

    Raises:
        Problem: there is no such image, or it cannot be pulled or built.
        BuildCancelled: `cancelled` was set.
    """
    program, options = container_program(), further_options()
    program.sweep()
    if stack.dockerfile is not None:
        context = (stack.folder / stack.dockerfile).resolve()
        if not context.is_dir():
            raise Problem(f"dockerfile: there is no folder {context}", "name the folder that holds the Dockerfile")
        on_building()
        name = f"fairtrial/{stack.name}"
        run_build_command(
            name, [program.path, "build", "--tag", name, str(context)], log.parent, log, cancelled, users_environment()
        )
    else:
        assert stack.image is not None
        name = stack.image
        pulled(program, name, log, on_building, cancelled)
    digest = digest_of(program, name)
    made_from = hashlib.sha256(f"{program.path} {digest}".encode()).hexdigest()
    folder = made_once("images", stack.name, made_from, lambda folder: _keep(folder, digest))
    versions = {"container program": program.version, f"image {name}": f"sha256:{digest}"}
    return ReadyImage(folder, digest, versions | ({OPTIONS: " ".join(options)} if options else {}))


def pulled(program: ContainerProgram, name: str, log: Path, on_building: Callable[[], None], cancelled: Event) -> None:
    """Pull an image if it is not on this machine. The arguments are those of `ready_image`, which raises the same."""
    try:
        program.ask("image", "inspect", name)
    except Problem:
        on_building()
        run_build_command(name, [program.path, "pull", name], log.parent, log, cancelled, users_environment())


def digest_of(program: ContainerProgram, name: str) -> str:
    """The digest of an image on this machine, as 64 hexadecimal digits.

    Raises:
        Problem: there is none of this name.
    """
    output = program.ask("image", "inspect", "--format", "{{.Id}}", name)
    digest = DIGEST.fullmatch(output)
    if digest is None:
        raise Problem(f"image {name} has no digest: {printable(output, 100)}", "pull it again")
    return digest[1]


def _keep(folder: Path, sha256: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ID_FILE).write_text(f"sha256:{sha256}", encoding="ascii")
