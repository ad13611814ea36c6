"""The docker or podman command: which one there is, asking it within a time, and removing what it left."""

import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import psutil

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import stack_environment

CHOICE = "FAIRTRIAL_CONTAINERS"
OPTIONS = "FAIRTRIAL_CONTAINER_OPTIONS"
USUAL = ("docker", "podman")
ANSWER_WITHIN_SECONDS = 20.0
REMOVED_WITHIN_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 0.05
MOST_ANSWER_BYTES = 65_536
USER_LABEL = "fairtrial.user"
NAME = re.compile(r"fairtrial-([0-9a-f]{8})-(\d+)-(\d+)-(\d+)-[0-9a-f]{12}")
"""Of a container: the machine (`_machine`), the user, and the lab by its process and the time of its start."""

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
        """What the command prints with these words, 64 KiB at most.

        Raises:
            Problem: it failed, or did not end in time; it is ended then.
        """
        shown = printable(" ".join([Path(self.path).name, *words[:2]]))
        # A file in place of a pipe: what the command starts may hold a pipe open when it has been ended itself.
        with tempfile.TemporaryFile() as output:
            try:
                asked = subprocess.Popen(
                    [self.path, *words],
                    env=stack_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise Problem(f"`{shown}` cannot be run: {error.strerror}", REMEDY) from error
            try:
                status = asked.wait(within_seconds)
            except subprocess.TimeoutExpired:
                raise Problem(f"`{shown}` did not end within {within_seconds:g} s", REMEDY) from None
            finally:
                if asked.poll() is None:
                    with suppress(ProcessLookupError):
                        os.killpg(asked.pid, signal.SIGKILL)
                    asked.wait()
            output.seek(0)
            text = output.read(MOST_ANSWER_BYTES).decode(errors="replace").strip()
        if status != 0:
            raise Problem(f"`{shown}` ended with status {status}: {printable(text, 400)}", REMEDY)
        return text

    def remove(self, name: str) -> None:
        """End a container and remove it, if it is there.

        Raises:
            Problem: it is still there after ten seconds: it would disturb what is measured next.
        """
        deadline = time.monotonic() + REMOVED_WITHIN_SECONDS
        seen: Problem | None = None
        while (left := deadline - time.monotonic()) > 0:
            try:
                if not self.ask("ps", "-aq", "--filter", f"name={name}", within_seconds=left):
                    return
                # It ends by itself at the same time (--rm): what counts is that it has gone.
                self.ask("rm", "-f", name, within_seconds=max(LOOK_AGAIN_SECONDS, deadline - time.monotonic()))
            except Problem as problem:
                seen = problem
            time.sleep(LOOK_AGAIN_SECONDS)
        raise Problem(
            f"the container {name} was not removed within {REMOVED_WITHIN_SECONDS:g} s"
            + (f" ({seen.reason})" if seen is not None else ""),
            f"remove it: {Path(self.path).name} rm -f {name}",
        )

    def sweep(self) -> list[str]:
        """Remove what dead labs of this user on this machine have left, and nothing else; returns the names.

        Raises:
            Problem: it cannot be asked, or a container cannot be removed.
        """
        listed = self.ask("ps", "-a", "--filter", f"label={USER_LABEL}={os.geteuid()}", "--format", "{{.Names}}")
        left = [name for name in listed.split() if _of_a_dead_lab(name)]
        for name in left:
            self.remove(name)
        return left


def container_program() -> ContainerProgram:
    """The one that is chosen, or the first of docker and podman that answers.

    Raises:
        Problem: none does; it says what each of them said.
    """
    chosen = os.environ.get(CHOICE)
    reasons = []
    for name in (chosen,) if chosen else USUAL:
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
    """What FAIRTRIAL_CONTAINER_OPTIONS adds to `run`, word by word.

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


def _of_a_dead_lab(name: str) -> bool:
    parts = NAME.fullmatch(name)
    if parts is None or (parts[1], parts[2]) != (_machine(), str(os.geteuid())):
        return False
    try:
        # The time of the start is reckoned from the clock, which may have been set a little since.
        return abs(psutil.Process(int(parts[3])).create_time() * 100 - int(parts[4])) > 6000
    except psutil.Error:
        return True
