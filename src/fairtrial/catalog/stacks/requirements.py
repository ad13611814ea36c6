"""The commands that a stack needs, and their versions."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem, why_no_answer
from fairtrial.catalog.stacks.environment import build_environment, variables_of_user
from fairtrial.catalog.stacks.model import Requirement, Stack
from fairtrial.catalog.stacks.rights import assert_rights

VERSION = re.compile(r"\d+(?:\.\d+)+|\d+")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
"""A terminal's code for a colour or weight: some programs write them to pipes as well, and they hold digits."""
ANSWER_WITHIN_SECONDS = 30


def installed_versions(stack: Stack, built_apart: str | None = None) -> dict[str, str]:
    """Return the version line that each required command printed, by command. Commands run in the stack's folder.

    Args:
        built_apart: the variant whose own build is asked about; None: the stack's build.

    Raises:
        Problem: a requirement is not met; the remedy is the manifest's. Or the user lacks a right that it needs, or a
            variable that it is to get is not set.
    """
    assert_rights(stack)
    passed, folder = stack.origin.env_from, stack.source(built_apart)
    variables_of_user(passed)
    required = stack.requirements(built_apart)
    return {" ".join(requirement.command): version_of(requirement, folder, passed) for requirement in required}


def absent_command(stack: Stack, built_apart: str | None = None) -> Problem | None:
    """The first required command that is not on this machine, as the problem that it is. Nothing is started."""
    required = stack.requirements(built_apart)
    return next((_absent(each) for each in required if shutil.which(each.command[0]) is None), None)


def _absent(requirement: Requirement) -> Problem:
    return Problem(f"`{requirement.command[0]}` is not on this machine", requirement.remedy)


def version_of(requirement: Requirement, folder: Path, env_from: Sequence[str] = ()) -> str:
    """Return the version line that a required command prints, run in `folder` with these variables of the user's.

    Raises:
        Problem: the requirement is not met; the remedy is the manifest's.
    """
    name = requirement.command[0]
    if shutil.which(name) is None:
        raise _absent(requirement)
    try:
        outcome = subprocess.run(
            requirement.command,
            cwd=folder,
            env=build_environment(env_from),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=ANSWER_WITHIN_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem(
            f"`{' '.join(requirement.command)}` did not answer: {why_no_answer(error)}", requirement.remedy
        ) from error
    lines = COLOUR.sub("", outcome.stdout[:65536].decode(errors="replace")).splitlines()
    if outcome.returncode != 0:
        words = next(filter(None, (printable(line.strip(), 120) for line in lines)), "")
        ended = f"`{' '.join(requirement.command)}` ended with status {outcome.returncode}"
        raise Problem(": ".join(filter(None, (ended, words))), requirement.remedy)
    versioned = next((line for line in lines if VERSION.search(line)), "")
    line = printable(versioned.strip(), 120)
    if requirement.minimum:
        number = VERSION.search(line)
        if number is None or _parts(number.group()) < _parts(requirement.minimum):
            raise Problem(
                f"{name} is {line or 'of an unknown version'}, and {requirement.minimum} is needed",
                requirement.remedy,
            )
    return line


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
