"""The command that runs a compose file with the containers of docker or podman: which one there is."""

import re
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.container_answer import ANSWER_WITHIN_SECONDS, answer_of
from fairtrial.catalog.stacks.container_program import ContainerProgram

VERSION = re.compile(r"compose version:? v?(\d+)\.(\d+)\.(\d+)", re.IGNORECASE)
OLDEST = {False: (2, 24, 4), True: (1, 4, 0)}
"""By whether it is podman-compose: the first that knows the tags `!reset` and `!override` in a file laid over another:
https://docs.docker.com/reference/compose-file/merge/; CHANGELOG of podman-compose, 1.4.0."""

REMEDY = (
    "install the compose plugin of docker (2.24.4 or later), or podman-compose (1.4 or later: pip install "
    "podman-compose); or try the service alone, as `image` or `dockerfile`"
)


@dataclass(frozen=True)
class ComposeProgram:
    """A command that runs compose files, and that answered."""

    command: tuple[str, ...]
    version: str

    def ask(self, *words: str, within_seconds: float = ANSWER_WITHIN_SECONDS, most_bytes: int = 65_536) -> str:
        """The command's output with these words. The arguments and errors are those of `answer_of`."""
        return answer_of([*self.command, *words], REMEDY, within_seconds=within_seconds, most_bytes=most_bytes)


def compose_program(program: ContainerProgram) -> ComposeProgram:
    """The compose command that belongs to a container program: its own, or else the one that stands beside it.

    Raises:
        Problem: there is none that is new enough; it says what each of them said.
    """
    reasons = []
    beside = "podman-compose" if program.is_podman else "docker-compose"
    path = which(beside)
    candidates: list[tuple[str, ...]] = [(program.path, "compose")]
    if path is None:
        reasons.append(f"`{beside}` is not on this machine")
    else:
        candidates.append((path, "--podman-path", program.path) if program.is_podman else (path,))
    for command in candidates:
        try:
            output = answer_of([*command, "version"], REMEDY)
        except Problem as problem:
            reasons.append(problem.reason)
            continue
        version = VERSION.search(output)
        program_name = f"`{' '.join([Path(command[0]).name, *command[1:2]])}`"
        if version is None:
            reasons.append(f"{program_name} says no version: {printable(output, 100)}")
            continue
        line = printable(output.splitlines()[0], 120)
        if tuple(map(int, version.groups())) < OLDEST["podman" in output.lower()]:
            reasons.append(f"{program_name} is too old: {line}")
            continue
        return ComposeProgram(command, line)
    raise Problem("; ".join(reasons), REMEDY)
