"""The three answers that `fairtrial init` needs: how the service is started, where it listens, what it is asked."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from fairtrial.base.fault_words import fault_in_words
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.experiment.ready import Ready
from fairtrial.experiment.workload_file.model import RequestEntry
from fairtrial_import.samples import UUID
from fairtrial_init.proposal import TAKES_PORT, Words, port_in

FOR_A_SHELL = re.compile(r"[$|&;<>`*]|^\w+=")
"""Characters that only a shell understands in a command line."""
SEVERAL_COMMANDS = re.compile(r"[|&;]|^\w+=|^(?:exec|cd)\b")
SHELL = ("sh", "-c")
SHELL_GIVES_WAY = "exec "
PORT_OPTION = re.compile(r"(?:--?(?:[\w.]+[-.])?port|-p)[= ](\d{2,5})\b|:(\d{2,5})\b", re.IGNORECASE)
TCP = "tcp"
HEALTH_PATHS = ("/healthz", "/health", "/readyz", "/ready", "/livez", "/up", "/ping", "/status", "/actuator/health")
MOST_PATHS = 5
PATHS = re.compile(r"(?:\{\{[^{}]*\}\}|[^\s,])+")
"""Paths in a line. A placeholder in one may hold spaces."""
PARAMETER = re.compile(r"\{(?P<braces>\w+)\}|<(?:(?P<type>\w+):)?(?P<angles>\w+)>|(?<=/):(?P<colon>\w+)")
"""In a path of a source: `{id}` of many, `<int:id>` of Flask and Django, `:id` of Express, Gin and others."""
HAS_PARAMETERS = re.compile(r"[{}<>*\[\]()]|/:")


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The values that are written into the files."""

    command: Words
    build: tuple[Words, ...]
    port: int | None
    """None: the one that PORT says"""
    ready: Ready | None
    """None: an answer to `GET /` of whatever kind"""
    document: Path | None
    """from which the requests are imported; None: they are `paths`"""
    paths: tuple[str, ...]
    """asked by GET"""
    are_proposed: bool = False
    """the paths, which nobody has typed"""
    private_network: bool = False
    """it listens on all addresses, and has a network of its own"""


def command_words(text: str) -> Words:
    """A command line as words; where only a shell understands it, as a call of one.

    Raises:
        Problem: it is empty, or a quote is not closed.
    """
    line = text.strip()
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise Problem(f"command: {printable(line, 200)}: {error}", "close the quote") from error
    if not words:
        raise Problem("command: it is empty", "say how the service is started, such as node server.js")
    if not FOR_A_SHELL.search(line):
        return words
    return (*SHELL, line if SEVERAL_COMMANDS.search(line) else SHELL_GIVES_WAY + line)


def line_of(command: Sequence[str]) -> str:
    """A command as one types it: the inverse of `command_words`."""
    if tuple(command[:2]) == SHELL and len(command) == 3:
        return command[2].removeprefix(SHELL_GIVES_WAY)
    return shlex.join(command)


def port_of(text: str) -> int | None:
    """A port: a number, or None for `PORT`.

    Raises:
        Problem: it is neither.
    """
    answer = text.strip()
    if answer.upper().lstrip("$") == TAKES_PORT:
        return None
    if answer.isascii() and answer.isdigit() and 1 <= int(answer) <= 65_535:
        return int(answer)
    raise Problem(
        f"port: {printable(answer, 40) or 'nothing'} is neither a port nor PORT",
        "write the number on which the service always listens; or PORT, if it takes what the variable PORT says",
    )


def port_in_command(line: str) -> str:
    """The port in a command line: `PORT`, a number, or empty."""
    read = port_in([line])
    if read == TAKES_PORT:
        return read
    option = PORT_OPTION.search(line)
    return next((each for each in option.groups() if each), "") if option else read


def ready_of(text: str) -> Ready:
    """When the service is ready: a path, or `tcp`.

    Raises:
        Problem: it is neither.
    """
    answer = text.strip()
    try:
        return Ready(tcp=True) if answer.lower() == TCP else Ready(path=answer)
    except ValidationError as error:
        raise Problem(
            f"ready: {printable(answer, 80)} is no path", "write a path such as /healthz, or tcp if none can be asked"
        ) from error


def requests_of(text: str, folder: Path) -> tuple[Path | None, tuple[str, ...]]:
    """The document to import, or the paths to ask: a file, or paths with spaces or commas between them.

    A file is looked for in the working folder and in that of the service.

    Raises:
        Problem: it is neither, or a path cannot be asked.
    """
    answer = text.strip()
    words = [match.group() for match in PATHS.finditer(answer)]
    if not words:
        raise Problem("requests: none is named", "write paths such as /items, or an OpenAPI document or a HAR file")
    if not words[0].startswith("/") or Path(answer).is_file():
        for file in (Path(answer), folder / answer):
            if file.is_file():
                return file, ()
        raise Problem(
            f"requests: {printable(answer, 200)} is neither a path that begins with / nor a file",
            "write paths such as /items, or the name of an OpenAPI document or a HAR file",
        )
    for path in words:
        _assert_asked(path)
    return None, tuple(dict.fromkeys(words))


def paths_to_ask(paths: Sequence[str]) -> tuple[str, ...]:
    """The paths in the source that can be asked as they are: without parameters, five at most.

    Paths of readiness are asked only if there is no other.
    """
    plain = [path for path in paths if not HAS_PARAMETERS.search(path) and _can_be_asked(path)]
    others = [path for path in plain if path.rstrip("/") not in HEALTH_PATHS]
    return tuple((others or plain)[:MOST_PATHS])


def with_made_up(path: str) -> str | None:
    """A path of the source with values for its parameters, as `fairtrial import` makes them up: 1, or a UUID where the
    source asks for one. None: it has other parameters, such as a regular expression."""

    def value(parameter: re.Match[str]) -> str:
        is_uuid = "uuid" in "".join(filter(None, parameter.groups())).lower()
        return UUID if is_uuid else "1"

    filled = PARAMETER.sub(value, path)
    return None if HAS_PARAMETERS.search(filled) or not _can_be_asked(filled) else filled


def ready_path(paths: Sequence[str]) -> str | None:
    """The path in the source that says whether the service is ready, by its usual names."""
    return next((path for name in HEALTH_PATHS for path in paths if path.rstrip("/") == name), None)


def _assert_asked(path: str) -> None:
    try:
        RequestEntry.model_validate({"get": path})
    except ValidationError as error:
        message = fault_in_words(error.errors()[0])
        raise Problem(f"requests: {printable(path, 120)}: {message}", "write it as in a URL") from error


def _can_be_asked(path: str) -> bool:
    try:
        _assert_asked(path)
    except Problem:
        return False
    return True
