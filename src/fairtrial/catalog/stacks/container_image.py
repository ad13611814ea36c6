"""The images of containers: pulled, and known by their digests."""

import re

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.build import run_build_command
from fairtrial.catalog.stacks.container_program import ContainerProgram
from fairtrial.catalog.stacks.requests import BuildRequest

DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


def pulled(program: ContainerProgram, name: str, request: BuildRequest) -> None:
    """Pull an image if it is not on this machine.

    Raises:
        Problem: there is no such image, or it cannot be pulled.
        BuildCancelled: `cancelled` was set.
    """
    try:
        program.ask("image", "inspect", name)
    except Problem:
        request.on_building()
        run_build_command(request, name, [program.path, "pull", name])


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
