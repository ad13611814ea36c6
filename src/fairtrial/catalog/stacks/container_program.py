"""The docker or podman command: which one there is, asking it within a time, and removing what it left."""

import os
import re
import secrets
import shlex
import shutil
import socket
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

import psutil

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.container_answer import ANSWER_WITHIN_SECONDS, answer_of

CHOICE = "FAIRTRIAL_CONTAINERS"
OPTIONS = "FAIRTRIAL_CONTAINER_OPTIONS"
USUAL = ("docker", "podman")
REMOVED_WITHIN_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 0.05
USER_LABEL = "fairtrial.user"
NAME = re.compile(r"fairtrial-([0-9a-f]{8})-(\d+)-(\d+)-(\d+)-[0-9a-f]{12}")
"""Of a container or a project: the machine (`_machine`), the user, the lab by its process and the time of its start."""

Kind = Literal["container", "network", "volume"]

COMMANDS: dict[Kind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "container": (("ps", "-aq"), ("rm", "-f", "-v")),
    "network": (("network", "ls", "-q"), ("network", "rm")),
    "volume": (("volume", "ls", "-q"), ("volume", "rm", "-f")),
}
"""How each kind is listed and removed."""

ALONE: tuple[Kind, ...] = ("container",)
OF_A_PROJECT: tuple[Kind, ...] = ("container", "network", "volume")
"""In the order in which they can be removed."""

REMEDY = (
    "install docker or podman, start docker's daemon, and see that you may use it; "
    f"{CHOICE}=podman chooses one, by its name or path"
)


@dataclass(frozen=True)
class ContainerProgram:
    """A command that runs containers, and that answered."""

    path: str
    version: str
    """the line that `--version` prints"""

    @property
    def is_podman(self) -> bool:
        """Whether it runs containers itself, also under the name docker: a daemon does it otherwise."""
        return "podman" in self.version.lower()

    def ask(self, *words: str, within_seconds: float = ANSWER_WITHIN_SECONDS) -> str:
        """The command's output with these words, 64 KiB at most.

        Raises:
            Problem: it failed, or did not end in time; it is ended then.
        """
        return answer_of([self.path, *words], REMEDY, within_seconds=within_seconds)

    def remove(self, name: str, kinds: Collection[Kind] = ALONE) -> None:
        """End a container and remove it, if it is there; of a project, whatever has a name that begins with its own.

        Raises:
            Problem: something is still there after ten seconds: it would disturb what is measured next.
        """
        deadline = time.monotonic() + REMOVED_WITHIN_SECONDS
        last_problem: Problem | None = None
        while (left := deadline - time.monotonic()) > 0:
            try:
                if not self._removed_now(name, kinds, left):
                    return
            except Problem as problem:
                last_problem = problem
            time.sleep(LOOK_AGAIN_SECONDS)
        alone = len(kinds) == 1
        raise Problem(
            f"the {'container' if alone else 'project'} {name} was not removed within {REMOVED_WITHIN_SECONDS:g} s"
            + (f" ({last_problem.reason})" if last_problem is not None else ""),
            f"remove it: {Path(self.path).name} rm -f {name}"
            if alone
            else f"remove what {Path(self.path).name} ps, network ls and volume ls list with this name",
        )

    def _removed_now(self, name: str, kinds: Collection[Kind], within_seconds: float) -> bool:
        """Whether anything was there to be removed. It may end by itself at the same time: what counts is that it has
        gone when it is looked for again.
        """
        deadline = time.monotonic() + within_seconds
        for kind in kinds:
            list_command, remove_command = COMMANDS[kind]
            names = self.ask(*list_command, "--filter", f"name={name}", within_seconds=within_seconds).split()
            if names:
                left = max(LOOK_AGAIN_SECONDS, deadline - time.monotonic())
                self.ask(*remove_command, *names, within_seconds=left)
                return True
        return False

    def sweep(self) -> list[str]:
        """Remove what dead labs of this user on this machine have left, and nothing else; returns the names.

        Raises:
            Problem: it cannot be asked, or something cannot be removed.
        """
        user = os.geteuid()
        names = self.ask("ps", "-a", "--filter", f"label={USER_LABEL}={user}", "--format", "{{.Names}}").split()
        for kind in ("network", "volume"):
            with suppress(Problem):  # a machine where networks cannot be listed may run containers without any
                name_filter = f"name=fairtrial-{_machine()}-{user}-"
                names += self.ask(kind, "ls", "--filter", name_filter, "--format", "{{.Name}}").split()
        # What a project has is named after it.
        dead: dict[str, bool] = {}
        for each in names:
            name = NAME.match(each)
            if name is not None and _of_a_dead_lab(name):
                dead[name[0]] = dead.get(name[0], False) or each != name[0]
        for each, is_project in dead.items():
            self.remove(each, OF_A_PROJECT if is_project else ALONE)
        return list(dead)


def container_program() -> ContainerProgram:
    """The one that is chosen, or the first of docker and podman that answers.

    Raises:
        Problem: none does; it says what each of them said.
    """
    choice = os.environ.get(CHOICE)
    reasons = []
    for name in (choice,) if choice else USUAL:
        path = shutil.which(name)
        if path is None:
            reasons.append(f"`{printable(name, 200)}` is not on this machine")
            continue
        try:
            program = ContainerProgram(path, printable(ContainerProgram(path, "").ask("--version"), 120))
            program.ask("ps", "-q")  # docker has a daemon, which may not run
        except Problem as problem:
            reasons.append(problem.reason)
        else:
            return program
    raise Problem("; ".join(reasons), REMEDY)


def further_options() -> list[str]:
    """The options in FAIRTRIAL_CONTAINER_OPTIONS, word by word.

    Raises:
        Problem: a quotation in it does not end.
    """
    try:
        return shlex.split(os.environ.get(OPTIONS, ""))
    except ValueError as error:
        raise Problem(f"{OPTIONS}: {error}", "write it as options stand on a command line") from None


def new_name() -> str:
    """A name for a container, which says whose it is."""
    started = round(psutil.Process().create_time() * 100)
    return f"fairtrial-{_machine()}-{os.geteuid()}-{os.getpid()}-{started}-{secrets.token_hex(6)}"


def _machine() -> str:
    """Where numbers of processes mean what they mean here: a machine and its namespace, as eight digits."""
    return sha256(f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}".encode()).hexdigest()[:8]


def _of_a_dead_lab(parts: re.Match[str]) -> bool:
    if (parts[1], parts[2]) != (_machine(), str(os.geteuid())):
        return False
    try:
        # The time of the start is reckoned from the clock, which may have been set a little since.
        return abs(psutil.Process(int(parts[3])).create_time() * 100 - int(parts[4])) > 6000
    except psutil.Error:
        return True
