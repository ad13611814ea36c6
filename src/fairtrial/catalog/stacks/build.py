"""The commands that build a contender or fetch it: bounded in time, ended when they are cancelled, and logged."""

import re
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from fairtrial.base.printable import log_tail, printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.environment import users_environment
from fairtrial.catalog.stacks.redaction import redaction_of
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.catalog.stacks.unprivileged_user import RunsAs
from fairtrial.engine.guard import NO_PLACES, Guarded

BUILD_WITHIN_SECONDS = 1800
LOOK_FOR_CANCELLATION_EVERY_SECONDS = 0.1
FULL_BELOW_BYTES = 8 * 2**20
"""With less free space a build fails, and not every compiler says why: Go's then misses its own packages."""

NO_NETWORK = re.compile(
    r"[Nn]ame resolution|[Cc]ould not resolve|NewConnectionError|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b"
    r"|[Nn]etwork is unreachable|no such host|[Uu]nknown host"
)
"""Of pip, cargo and git, Node.js, Go, and Maven."""
SEE_TO_NETWORK = "packages are fetched once: see to the network, or to the variables of its proxy"


class BuildCancelled(Exception):
    """The build was ended from outside, and everything that it had started with it."""


def run_build_command(
    request: BuildRequest,
    name: str,
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    user: RunsAs | None = None,
) -> None:
    """Run a command that makes something, with its output in the log, which then holds no secret that it was given.

    Args:
        name: what it makes.
        folder: in which it is run; None: that of the log.
        environment: its variables, with those of `env_from`, whose values are hidden; None: those with which the user
            would run it. Passwords in URLs are hidden in either case.
        user: who it is; None: who the lab is.

    Raises:
        Problem: it failed, or did not end in time.
        BuildCancelled: `cancelled` was set.
    """
    log, cancelled = request.log, request.cancelled
    if cancelled.is_set():
        raise BuildCancelled
    passed: Sequence[str] = request.stack.origin.env_from
    if environment is None:
        environment, passed = users_environment(), ()
    command_line = printable(" ".join(command))
    redaction = redaction_of(environment, passed)
    with redaction.kept_log(log) as output:
        output.write(f"$ {command_line}\n".encode())
        output.flush()
        with Guarded(
            command,
            folder=folder or log.parent,
            environment=environment,
            output=output,
            places=NO_PLACES if user is None else user.seeing(NO_PLACES),
            user=None if user is None else user.command,
        ) as step:
            deadline = time.monotonic() + BUILD_WITHIN_SECONDS
            while not step.ends_within(LOOK_FOR_CANCELLATION_EVERY_SECONDS):
                if cancelled.is_set():
                    raise BuildCancelled
                if time.monotonic() > deadline:
                    raise Problem(
                        f"`{command_line}` was still running after {BUILD_WITHIN_SECONDS // 60} minutes",
                        f"see {log} and mend {name}",
                    )
            status = step.status()
    if status != 0:
        place = folder or log.parent
        last_words = log_tail(log, redaction.hidden)
        remedy = SEE_TO_NETWORK if NO_NETWORK.search(last_words) else "mend the stack"
        if shutil.disk_usage(place).free < FULL_BELOW_BYTES:
            remedy = f"free space in {place}"
        raise Problem(
            f"`{command_line}` ended with status {status}:\n{last_words}", f"{remedy}; the whole output: {log}"
        )
