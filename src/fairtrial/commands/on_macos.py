"""The part that works without Linux, such as on macOS: reading what was measured. The rest says at once that it does
not."""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem

WORKS = "judge", "compare", "history", "pool", "cross-examine", "docket", "import", "list", "explain"
"""Tests run each in a Python that lacks what it lacks on macOS."""

DOES_NOT: Mapping[str, str] = {
    "run": "builds and starts stacks",
    "ab-test": "builds and starts stacks",
    "why": "builds and starts stacks; of a results folder `fairtrial judge DIR` says it",
    "check": "starts stacks",
    "init": "starts the service",
    "adopt": "builds and starts entries",
    "load": "the engine",
    "ab": "the engine",
    "wrk": "the engine",
    "services": "starts databases",
    "doctor": "looks at a Linux machine",
    "cluster": "starts labs",
    "lab": "starts stacks",
    "worker": "starts stacks",
}
"""By command, what needs Linux: the lab its namespaces, /proc and affinity, the engine io_uring and epoll."""


def refuse_without_linux(commands: Iterable[Any], group: str = "", *, platform: str = sys.platform) -> None:
    """Where this is not Linux, let each of these commands (Typer's) say so in place of what it does, if it needs it.

    Args:
        group: the command of which they are subcommands, by whose name they are looked up.
    """
    if platform.startswith("linux"):
        return
    for command in commands:
        name = group or command.name or command.callback.__name__.replace("_", "-")
        if name not in WORKS:
            command.callback = _refusing(command.callback, name)


def _refusing(callback: Callable[..., object], name: str) -> Callable[..., object]:
    @wraps(callback)
    def refuse(*_arguments: object, **_options: object) -> None:
        raise Problem(
            f"`fairtrial {name}` needs Linux ({DOES_NOT.get(name, 'it measures')}), and this is {sys.platform}",
            f"run it in a Linux virtual machine or container; {', '.join(WORKS)} work here",
            NOTHING_RAN,
        )

    return refuse
