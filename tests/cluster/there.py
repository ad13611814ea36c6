"""What runs on the hosts of a cluster while a command is under way, and what came of it."""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import psutil

from tests.command_line import Lab
from tests.conftest import WORKERS_CACHE
from tests.forked_command import Forked


class OnHosts(Protocol):
    """A cluster whose hosts run everything with the name of its folder in the environment."""

    @property
    def folder(self) -> Path: ...


@contextmanager
def under_way(
    lab: Lab, *arguments: str | Path, prefix: Sequence[str] = ()
) -> Iterator["Forked | subprocess.Popen[str]"]:
    """A command as a process, which ends with the test.

    Args:
        prefix: put before its command line.
    """
    process = _started(lab, *prefix, *lab.command(*arguments)) if prefix else lab.begin(*arguments)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _started(lab: Lab, *command: str) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=lab.environment, cwd=lab.folder, stdout=pipe, stderr=pipe, text=True)


def run_there(cluster: OnHosts) -> list[psutil.Process]:
    """What the hosts of a cluster run beside a scheduler and workers started by hand, guards and stacks included."""
    found = []
    told = f"{WORKERS_CACHE}={cluster.folder}".encode()
    for pid in psutil.pids():
        with suppress(psutil.Error, OSError):  # it has just ended; who has, and is not waited for yet, has no variables
            if pid != os.getpid() and told in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                process = psutil.Process(pid)
                if "distributed.cli" not in " ".join(process.cmdline()):
                    found.append(process)
    return found


def runs(cluster: OnHosts, word: str) -> bool:
    """Whether a host of the cluster runs a program with this word in its command line."""
    return any(word in " ".join(command) for command in commands_there(cluster))


def commands_there(cluster: OnHosts) -> list[list[str]]:
    """The command lines of what the hosts of a cluster run, guards included."""
    commands = []
    for process in run_there(cluster):
        with suppress(psutil.Error):
            commands.append(process.cmdline())
    return commands


def record_of(lab: Lab) -> list[dict[str, Any]]:
    """The lines of the record of the only run."""
    (results,) = (lab.folder / "results").glob("*")
    return [json.loads(line) for line in (results / "record.jsonl").read_text().splitlines()]
